// cuda::memcpy_async of a block and a barrier of the library: where it fits it becomes a bulk copy.
// arch: 90
// launch: grid 2 block 32
// in a: i32 128 = 5 * i
// out y: i32 128
// expect y[i] = 5 * i
#include <cuda/barrier>
extern "C" __global__ void tiles(const int *a, int *y) {
    __shared__ alignas(16) int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, a + 64 * blockIdx.x, cuda::aligned_size_t<16>(sizeof(tile)), bar);
        token = bar.arrive();
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 64; i += 32) y[64 * blockIdx.x + i] = tile[i];
}
