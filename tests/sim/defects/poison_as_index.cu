// The ninth thread reads an index past the end of x, and looks up with what it got: that is one mistake.
// launch: grid 1 block 9
// in x: i32 8 = i
// in y: i32 8 = 3 * i
// out z: i32 9
// finding: M001
extern "C" __global__ void look_up(const int *x, const int *y, int *z) {
    int at = x[threadIdx.x]; //~ M001
    z[threadIdx.x] = y[at];
}
