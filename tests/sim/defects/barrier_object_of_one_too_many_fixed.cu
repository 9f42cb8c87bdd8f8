// A barrier object that expects as many threads as there are.
// arch: 80
// launch: grid 1 block 64
// in a: i32 64 = i * 4
// out y: i32 64
// expect y[i] = (63 - i) * 4
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

    barrier.arrive_and_wait();
    y[t] = values[63 - t];
}
