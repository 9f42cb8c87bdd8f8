// Boxes of 12 x 6 around tiles of 4 x 4: what lies outside is zero. A store writes 16 bytes together, so the two
// columns behind the tenth are written too.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void make(unsigned long long *bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void announce(unsigned long long *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
                 : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, unsigned long long *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)) : "memory");
}

__device__ void store(const CUtensorMap *map, int x, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 ::"l"(map), "r"(x), "r"(y), "r"(shared_address(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_for_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__device__ void wait(unsigned long long *bar, int parity) {
    asm volatile("{ .reg .pred p;\n\t"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
                 "@!p bra again; }" ::"r"(shared_address(bar)), "r"(parity) : "memory");
}

// A map of `rows` rows of `columns` floats, and boxes of `high` rows of `wide`.
static CUtensorMap map_of(float *x, int columns, int rows, int wide, int high) {
    CUtensorMap map;
    const cuuint64_t extents[] = {(cuuint64_t)columns, (cuuint64_t)rows};
    const cuuint64_t strides[] = {(columns * sizeof(float) + 15) / 16 * 16};
    const cuuint32_t box[] = {(cuuint32_t)wide, (cuuint32_t)high}, steps[] = {1, 1};
    CUresult made = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, extents, strides, box, steps,
                                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) printf("no map: %d\n", made);
    return map;
}

#define TILE 4

// Each element becomes the sum of its 3 x 3 neighbours.
__global__ void blur(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) float box[TILE + 2][TILE + 8];
    __shared__ alignas(128) float result[TILE][TILE];
    __shared__ unsigned long long full;
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    if (threadIdx.x == 0) {
        make(&full);
        announce(&full, sizeof(box));
        load(box, &in, x - 4, y - 1, &full);
    }
    __syncthreads();
    wait(&full, 0);
    int i = threadIdx.x % TILE, j = threadIdx.x / TILE;
    float sum = 0;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) sum += box[j + dy][i + 3 + dx];
    }
    result[j][i] = sum;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        store(&out, x, y, result);
        wait_for_stores();
    }
}

int main() {
    const int columns = 10, rows = 7, pitch = 12;
    float host[rows * pitch], *in, *out;
    for (int i = 0; i < rows * pitch; i++) host[i] = i % pitch < columns ? i % 5 - 1 : 1000;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(host));
    blur<<<dim3(3, 2), TILE * TILE>>>(map_of(in, columns, rows, TILE + 8, TILE + 2), map_of(out, columns, rows, TILE, TILE));
    float result[rows * pitch];
    printf("%s\n", cudaGetErrorName(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost)));
    int wrong = 0;
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < pitch; x++) {
            float want = 0;
            for (int v = y - 1; v <= y + 1; v++) {
                for (int u = x - 1; u <= x + 1; u++) {
                    if (v >= 0 && v < rows && u >= 0 && u < columns) want += host[v * pitch + u];
                }
            }
            wrong += result[y * pitch + x] != want;
            printf("%g%c", result[y * pitch + x], x + 1 < pitch ? ' ' : '\n');
        }
    }
    printf("%d wrong\n", wrong);
    cudaFree(in);
    cudaFree(out);
}
