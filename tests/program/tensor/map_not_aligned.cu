// A map that begins at a multiple of 16, and not of 64.
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
                 ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)) : "memory"); //~ M002
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

__global__ void by_address(const CUtensorMap *map, float *out) {
    __shared__ alignas(128) float box[32];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        make(&full);
        announce(&full, 128);
        load(box, map, 0, 2, &full);
    }
    __syncthreads();
    wait(&full, 0);
    out[threadIdx.x] = box[threadIdx.x];
}

int main() {
    float *x, *out;
    char *there;
    cudaMalloc(&x, 64 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMalloc(&there, 256);
    cudaMemset(x, 0, 64 * sizeof(float));
    CUtensorMap map = map_of(x, 8, 8, 8, 4);
    cudaMemcpy(there + 16, &map, sizeof(map), cudaMemcpyHostToDevice);
    by_address<<<1, 32>>>((const CUtensorMap *)(there + 16), out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(there);
    cudaFree(x);
    cudaFree(out);
}
