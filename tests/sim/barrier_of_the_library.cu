// cuda::barrier of the CUDA C++ library, with arrive and wait apart.
// launch: grid 1 block 64
// in a: i32 64 = i * 4
// out y: i32 64
// expect y[i] = a[(i + 33) % 64] + 1
// arch: 80
#include <cuda/barrier>
extern "C" __global__ void library(const int *a, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, 64);
    }
    __syncthreads();
    values[t] = a[t];
    auto token = barrier.arrive();
    int one = t >= 0;
    barrier.wait(static_cast<decltype(token) &&>(token));
    y[t] = values[(t + 33) % 64] + one;
}
