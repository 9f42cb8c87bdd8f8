// Kernels keep all that they have without a host part.
//~ calls: __cudaCDP2GetParameterBufferV2 __cudaCDP2LaunchDeviceV2 vprintf __assertfail
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdio.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__device__ int total;
__constant__ float weights[4];

__global__ void groups(float *x, int n) {
    cg::grid_group grid = cg::this_grid();
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = cg::reduce(tile, x[grid.thread_rank() % n], cg::plus<float>());
    if (tile.thread_rank() == 0) atomicAdd(x, sum);
    grid.sync();
    assert(sum >= 0);
    printf("%f from %d\n", sum, threadIdx.x);
}
__global__ void halves(half *a, __nv_bfloat16 *b) {
    a[threadIdx.x] = __hadd(a[threadIdx.x], __float2half(1.0f));
    b[threadIdx.x] = __float2bfloat16(__bfloat162float(b[threadIdx.x]) * weights[0]);
}
__global__ void tensor(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void library(int64_t *x) {
    __shared__ float buffer[64];
    __pipeline_memcpy_async(&buffer[threadIdx.x], (float *)x + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    cuda::atomic_ref<int64_t, cuda::thread_scope_device> counter(*x);
    counter.fetch_add(cuda::std::array<int, 2>{1, 2}[1]);
    atomicMax(&total, __popc(__ballot_sync(0xffffffff, buffer[threadIdx.x] > 0)));
    long long begin = clock64();
    x[1] = clock64() - begin + cuda::std::numeric_limits<int>::max();
}

int main() {
    groups<<<1, 32>>>(nullptr, 4);
    halves<<<1, 32>>>(nullptr, nullptr);
    tensor<<<1, 32>>>(nullptr, nullptr, nullptr);
    library<<<1, 32>>>(nullptr);
    return 0;
}
