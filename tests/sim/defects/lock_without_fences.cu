// A lock without fences keeps others out, but does not hand on what was written.
// launch: grid 3 block 2
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// finding: R002
extern "C" __global__ void locked(int *lock, int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < blockDim.x; k++) {
        if (k == threadIdx.x) {
            while (atomicCAS(lock, 0, 1) != 0) {
            }
            *total += i; //~ R002
            atomicExch(lock, 0);
        }
        __syncwarp();
    }
}
