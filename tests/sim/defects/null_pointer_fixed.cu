// The pointer is tested before it is followed.
// launch: grid 1 block 4
// arg p: i64 = 0
// inout y: i32 4 = 3
// expect y[i] = 3
extern "C" __global__ void follow(int *p, int *y) {
    int *to = p ? p : y;
    to[threadIdx.x] = p ? 1 : 3;
}
