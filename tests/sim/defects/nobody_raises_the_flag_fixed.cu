// The first block raises the flag that the others wait for.
// arch: 90
// launch: grid 20 block 64
// inout flag: i32 1 = 0
// out y: i32 20
// expect y[i] = 1
extern "C" __global__ void waiting(volatile int *flag, int *y) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            atomicExch((int *)flag, 1);
        } else {
            while (atomicAdd((int *)flag, 0) == 0) {
            }
        }
        y[blockIdx.x] = 1;
    }
}
