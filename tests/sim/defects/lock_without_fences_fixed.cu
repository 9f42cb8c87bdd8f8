// A lock with fences keeps others out and hands on what was written.
// launch: grid 3 block 2
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// expect total = 15
extern "C" __global__ void locked(int *lock, int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < blockDim.x; k++) {
        if (k == threadIdx.x) {
            while (atomicCAS(lock, 0, 1) != 0) {
            }
            __threadfence();
            *total += i;
            __threadfence();
            atomicExch(lock, 0);
        }
        __syncwarp();
    }
}
