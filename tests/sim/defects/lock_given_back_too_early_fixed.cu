// The fence hands on what was written, then the lock is free.
// launch: grid 4 block 1
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// expect total = 6
extern "C" __global__ void locked(int *lock, int *total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}
