// A lock taken by one lane at a time: ends only where divergent lanes are scheduled fairly.
// launch: grid 2 block 64
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// expect lock = 0
// expect total = 8128
extern "C" __global__ void locked(int *lock, volatile int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *total = *total + i;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
