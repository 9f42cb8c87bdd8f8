// What a lock protects is volatile, and fences put it in order with the lock.
// launch: grid 8 block 32
// inout lock: i32 1 = 0
// inout sum: i32 1 = 0
// expect sum = 28
extern "C" __global__ void add_up(int *lock, volatile int *sum) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}
