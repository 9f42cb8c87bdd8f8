// One lane waits for another block's flag; after __syncwarp() each lane fences for itself, and reads.
// arch: 80
// launch: grid 2 block 32
// inout flag: i32 1 = 0
// inout value: i32 32 = 0
// out y: i32 32
// expect y[i] = 2 * i
extern "C" __global__ void pass_on(int *flag, int *value, int *y) {
    if (blockIdx.x == 0) {
        value[threadIdx.x] = 2 * threadIdx.x;
        __syncwarp();
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {
            }
        }
        __syncwarp();
        __threadfence();
        y[threadIdx.x] = value[threadIdx.x];
    }
}
