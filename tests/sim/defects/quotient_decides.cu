// The quotient is not stored: a branch depends on it, two lines on.
// launch: grid 1 block 32
// in each: i64 32 = i % 8
// inout y: i32 32 = 0
// finding: N004
extern "C" __global__ void quotient_decides(const long long *each, int *y) {
    long long many = 1000 / each[threadIdx.x]; //~ N004
    if (many > 200)
        atomicAdd(&y[threadIdx.x / 8], 1);
}
