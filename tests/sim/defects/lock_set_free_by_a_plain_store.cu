// A plain store gives the lock back while others try it with atomics.
// launch: grid 4 block 1
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// finding: R002
// finding: R002
extern "C" __global__ void locked(int *lock, int *total) {
    while (atomicCAS(lock, 0, 1) != 0) { //~ R002
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
    *lock = 0; //~ R002
}
