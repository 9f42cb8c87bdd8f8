// Each thread that has an index looks up with it.
// launch: grid 1 block 8
// in x: i32 8 = i
// in y: i32 8 = 3 * i
// out z: i32 8
// expect z[i] = 3 * i
extern "C" __global__ void look_up(const int *x, const int *y, int *z) {
    int at = x[threadIdx.x];
    z[threadIdx.x] = y[at];
}
