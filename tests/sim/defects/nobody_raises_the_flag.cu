// All blocks wait for a flag that none of them will raise.
// arch: 90
// launch: grid 200 block 64
// in flag: i32 1 = 0
// out y: i32 200
// finding: S001
extern "C" __global__ void waiting(volatile const int *flag, int *y) {
    if (threadIdx.x == 0) {
        while (flag[0] == 0) { //~ S001
        }
        y[blockIdx.x] = 1;
    }
}
