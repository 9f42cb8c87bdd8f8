// edges: out[x][y] = 4 · in[y][x] minus the four neighbours of in[y][x], where
// those beyond the picture are 0.
//
// in: rows rows of pitch floats, of which the first `columns` are the picture.
// pitch is a multiple of 4. out: the result transposed, columns rows of `rows`
// floats.
//
// This is right, but each thread does by hand what the TMA could do: it works
// out where its elements are, and whether they are there at all.

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

__global__ void edges_kernel(const float *in, float *out, int rows, int columns, int pitch) {
    __shared__ float box[BOX_HIGH][BOX_WIDE];
    int left = blockIdx.x * WIDE, top = blockIdx.y * HIGH;

    // The box, with zeros where it reaches beyond the picture.
    for (int k = threadIdx.x; k < BOX_WIDE * BOX_HIGH; k += THREADS) {
        int i = k % BOX_WIDE, j = k / BOX_WIDE;
        int x = left - 4 + i, y = top - 1 + j;
        bool inside = 0 <= x && x < columns && 0 <= y && y < rows;
        box[j][i] = inside ? in[y * pitch + x] : 0;
    }
    __syncthreads();

    // A warp for each column of the tile: its lanes read down the column of the
    // box, and write neighbours of out.
    int lane = threadIdx.x % 32, y = top + lane;
    for (int c = threadIdx.x / 32; c < WIDE; c += THREADS / 32) {
        int i = c + 4, j = lane + 1, x = left + c;
        float edge = 4 * box[j][i] - box[j][i - 1] - box[j][i + 1] - box[j - 1][i] - box[j + 1][i];
        if (x < columns && y < rows) {
            out[x * rows + y] = edge;
        }
    }
}

void edges(float *in, float *out, int rows, int columns, int pitch) {
    dim3 blocks((columns + WIDE - 1) / WIDE, (rows + HIGH - 1) / HIGH);
    edges_kernel<<<blocks, THREADS>>>(in, out, rows, columns, pitch);
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
