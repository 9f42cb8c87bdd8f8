// The lock is free before the fence that hands on what was written.
// launch: grid 4 block 1
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// finding: R002
extern "C" __global__ void locked(int *lock, int *total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += blockIdx.x; //~ R002
    atomicExch(lock, 0);
    __threadfence();
}
