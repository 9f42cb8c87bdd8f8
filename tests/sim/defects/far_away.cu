// An index that runs past every guard zone.
// launch: grid 1 block 32
// out y: i32 32
// finding: M001
extern "C" __global__ void far(int *y) {
    long long i = threadIdx.x;
    y[i * 1000000000000ll] = 1; //~ M001
}
