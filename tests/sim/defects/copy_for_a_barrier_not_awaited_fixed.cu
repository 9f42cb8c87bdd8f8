// All wait for the barrier object that the copies signal.
// arch: 80
// launch: grid 1 block 64
// in a: i32 256 = i
// out y: i32 256
// expect y[i] = (63 - i / 4) * 4 + i % 4
#include <cuda/barrier>
extern "C" __global__ void reverse(const int4 *a, int4 *y) {
    __shared__ alignas(16) int4 tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    int t = threadIdx.x;
    if (t == 0) init(&arrived, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[t], &a[t], cuda::aligned_size_t<16>(16), arrived);
    arrived.arrive_and_wait();
    y[t] = tile[63 - t];
}
