// One thread of each block takes the lock and gives it back; then the block meets.
// launch: grid 2 block 64
// inout lock: i32 1 = 0
// inout sum: i32 1 = 0
// expect sum = 2
extern "C" __global__ void add_up(int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
    __syncthreads();
}
