// Each thread writes its own element of both arrays.
// launch: grid 1 block 32
// out y: i32 32
// out z: i32 32
// expect y[i] = 1
extern "C" __global__ void near(int *y, int *z) {
    long long i = threadIdx.x;
    z[i] = 0;
    y[i] = 1;
}
