// The wrappers of libcu++, and a map found by the entry point of the driver.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cudaTypedefs.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

__global__ void add_one(const __grid_constant__ CUtensorMap map, int x, int y) {
    __shared__ alignas(128) int box[4][8];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&box, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(box));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    box[threadIdx.x / 8][threadIdx.x % 8] += 1;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &box);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
        (&bar)->~barrier();
    }
}

int main() {
    const int columns = 12, rows = 6;
    int *x, host[rows * columns];
    cudaMallocManaged(&x, sizeof(host));
    for (int i = 0; i < rows * columns; i++) x[i] = 10 * i;
    PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {columns, rows}, strides[] = {columns * sizeof(int)};
    const cuuint32_t box[] = {8, 4}, steps[] = {1, 1};
    CUtensorMap map;
    printf("%d %d\n", found,
           encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, x, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    add_one<<<1, 32>>>(map, 8, 4);
    add_one<<<1, 32>>>(map, 0, 1);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < rows * columns; i++) printf("%d%c", x[i], i % columns == columns - 1 ? '\n' : ' ');
    cudaFree(x);
}
