// A barrier object that expects one thread more than there are.
// arch: 80
// launch: grid 2 block 64
// in a: i32 64 = i * 4
// out y: i32 64
// finding: B002
// note: 64 threads wait at line 19 for a barrier object: 64 of 65 arrivals so far.
#include <cuda/barrier>
extern "C" __global__ void library(const int *a, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, 65);
    }
    __syncthreads();
    values[t] = a[t];

    barrier.arrive_and_wait(); //~ B002
    y[t] = values[63 - t];
}
