#include <cuda.h>

__global__ void copy(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) float tile[64];
    __shared__ alignas(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(256) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"(to), "l"(&map), "r"(0), "r"(0), "r"(bar) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p;\n\tagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n\t@!p bra again; }"
                 ::"r"(bar) : "memory");
    if (tile[threadIdx.x] != 0) __trap();
}

int main() {
    float *d_x;
    cudaMalloc(&d_x, 16 * 8 * sizeof(float));
    cudaMemset(d_x, 0, 16 * 8 * sizeof(float));
    CUtensorMap map;
#ifdef FIXED
    const cuuint64_t sizes[] = {16, 8}, strides[] = {64};
    const cuuint32_t box[] = {8, 8}, steps[] = {1, 1};
    CUresult made = cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_x, sizes, strides,
        box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) return 1;
#else
    for (int i = 0; i < CU_TENSOR_MAP_NUM_QWORDS; i++) map.opaque[i] = i;
#endif
    copy<<<1, 32>>>(map);
    cudaDeviceSynchronize();
    cudaFree(d_x);
}
