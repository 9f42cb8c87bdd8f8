// One thread makes a barrier object, and the other warp comes to it with nothing in between.
// arch: 80
// launch: grid 1 block 64
// in a: i32 64 = i * 4
// out y: i32 64
// finding: R001
// note: One of the two initialises or invalidates the barrier object, and nothing orders that with the other's use of it: a thread that gets there first finds no barrier.
// names: barrier
#include <cuda/barrier>
extern "C" __global__ void library(const int *a, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, 64); //~ R001
    }
    values[t] = a[t];
    barrier.arrive_and_wait();
    y[t] = values[63 - t];
}
