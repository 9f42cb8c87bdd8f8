// Four warps come to a barrier for three.
// launch: grid 1 block 128
// out y: i32 128
// finding: B001
extern "C" __global__ void crowd(int *y) {
    asm volatile("bar.sync 1, 96;" ::: "memory"); //~ B001
    y[threadIdx.x] = threadIdx.x;
}
