// launch: grid 1 block 32
// in each: i64 32 = i % 8 + 1
// inout y: i32 32 = 0
// expect y[i] = i < 4 ? 4 : 0
extern "C" __global__ void quotient_decides_fixed(const long long *each, int *y) {
    long long many = 1000 / each[threadIdx.x];
    if (many > 200)
        atomicAdd(&y[threadIdx.x / 8], 1);
}
