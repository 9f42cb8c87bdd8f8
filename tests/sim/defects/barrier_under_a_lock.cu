// The thread that has the lock waits at a barrier for those that wait for the lock.
// launch: grid 2 block 64
// inout lock: i32 1 = 0
// inout sum: i32 1 = 0
// finding: B002
extern "C" __global__ void add_up(int *lock, int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += 1;
    __syncthreads(); //~ B002
    __threadfence();
    atomicExch(lock, 0);
}
