// edges: out[x][y] = 4 · in[y][x] minus the four neighbours of in[y][x], where
// those beyond the picture are 0.
//
// in: rows rows of pitch floats, of which the first `columns` are the picture.
// pitch is a multiple of 4. out: the result transposed, columns rows of `rows`
// floats.

#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define THREADS 256
#define WIDE 24     // columns of a tile of the result
#define HIGH 32     // its rows
#define BOX_WIDE 32 // columns of its box: from 4 to the left to 4 to the right
#define BOX_HIGH 34 // rows: with one above and one below

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

typedef unsigned long long Barrier; // an mbarrier, in shared memory

__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// Makes a barrier for which one thread announces copies. By one thread; the
// others may use it after __syncthreads().
__device__ void make(Barrier *full) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Announces that so many bytes will come. By one thread, once a phase.
__device__ void announce(Barrier *full, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 ::"r"(shared_address(full)), "r"(bytes) : "memory");
}

// Begins to copy the map's box with its first column at x and its first row at
// y, and does not wait. By one thread. x must be a multiple of 4.
__device__ void box_copy(void *to, const CUtensorMap *map, int x, int y, Barrier *full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(full))
                 : "memory");
}

// Waits until a phase is over: the barrier's first one has parity 0. By every
// thread that reads what has been copied.
__device__ void wait(Barrier *full, int parity) {
    asm volatile("{ .reg .pred over;\n\t"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n\t"
                 "@!over bra again; }" ::"r"(shared_address(full)), "r"(parity) : "memory");
}

// Where a column and a row of the box lie in shared memory, swizzled: the four
// floats of a chunk stay together, and in row j chunk n has the place n ^ j % 8.
__device__ int place(int i, int j) {
    return j * BOX_WIDE + (i / 4 ^ j % 8) * 4 + i % 4;
}

__global__ void edges_kernel(const __grid_constant__ CUtensorMap map, float *out, int rows,
                             int columns) {
    // The swizzle begins anew every 1024 bytes.
    __shared__ alignas(1024) float box[BOX_WIDE * BOX_HIGH];
    __shared__ Barrier full;
    int left = blockIdx.x * WIDE, top = blockIdx.y * HIGH;

    if (threadIdx.x == 0) {
        make(&full);
        announce(&full, sizeof(box));
        box_copy(box, &map, left - 4, top - 1, &full);
    }
    __syncthreads(); // the barrier is there
    wait(&full, 0);

    // A warp for each column of the tile: its lanes read down the column of the
    // box, and write neighbours of out.
    int lane = threadIdx.x % 32, y = top + lane;
    for (int c = threadIdx.x / 32; c < WIDE; c += THREADS / 32) {
        int i = c + 4, j = lane + 1, x = left + c;
        float edge = 4 * box[place(i, j)] - box[place(i - 1, j)] - box[place(i + 1, j)] -
                     box[place(i, j - 1)] - box[place(i, j + 1)];
        if (x < columns && y < rows) {
            out[x * rows + y] = edge;
        }
    }
}

void edges(float *in, float *out, int rows, int columns, int pitch) {
    CUtensorMap map;
    const cuuint64_t size[] = {(cuuint64_t)columns, (cuuint64_t)rows}; // innermost first
    const cuuint64_t stride[] = {pitch * sizeof(float)};               // from row to row, in bytes
    const cuuint32_t box[] = {BOX_WIDE, BOX_HIGH}, step[] = {1, 1};
    CUresult made = cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, size, stride, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) {
        fprintf(stderr, "no tensor map: error %d\n", made);
        exit(1);
    }
    dim3 blocks((columns + WIDE - 1) / WIDE, (rows + HIGH - 1) / HIGH);
    edges_kernel<<<blocks, THREADS>>>(map, out, rows, columns);
    CHECK(cudaGetLastError());
}

int main() {
    // A bright square of 2 × 2 in a picture of 5 rows and 6 columns.
    const int rows = 5, columns = 6, pitch = 8;
    float picture[rows * pitch] = {}, result[columns * rows];
    picture[1 * pitch + 2] = picture[1 * pitch + 3] = 1;
    picture[2 * pitch + 2] = picture[2 * pitch + 3] = 1;
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof(picture)));
    CHECK(cudaMalloc(&out, sizeof(result)));
    CHECK(cudaMemcpy(in, picture, sizeof(picture), cudaMemcpyHostToDevice));
    edges(in, out, rows, columns, pitch);
    CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
    for (int i = 0; i < columns * rows; i++) {
        printf("%2g%c", result[i], i % rows == rows - 1 ? '\n' : ' ');
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
