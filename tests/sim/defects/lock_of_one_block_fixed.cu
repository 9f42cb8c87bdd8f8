// Atomics for the device are a lock between blocks.
// launch: grid 3 block 1
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// expect total = 3
extern "C" __global__ void locked(int *lock, int *total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}
