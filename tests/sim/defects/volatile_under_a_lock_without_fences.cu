// What a lock protects is volatile, and nothing puts it in order with the lock.
// launch: grid 8 block 32
// inout lock: i32 1 = 0
// inout sum: i32 1 = 0
// finding: R002
extern "C" __global__ void add_up(int *lock, volatile int *sum) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum += blockIdx.x; //~ R002
    atomicExch(lock, 0);
}
