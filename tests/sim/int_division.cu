// 32-bit division by variables and by constants.
// launch: grid 2 block 64
// in a: i32 128 = i32(i * 123456789)
// in b: i32 128 = i - 64 + (i == 64)
// out y: i32 640
// expect y[i] = i % 5 == 0 ? a[i/5] / b[i/5] : i % 5 == 1 ? a[i/5] % b[i/5] : i % 5 == 2 ? a[i/5] / 7 : i % 5 == 3 ? u32(a[i/5]) / 1000 : u32(a[i/5]) % u32(b[i/5])
extern "C" __global__ void divide(const int *a, const int *b, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[5 * i] = a[i] / b[i];
    y[5 * i + 1] = a[i] % b[i];
    y[5 * i + 2] = a[i] / 7;
    y[5 * i + 3] = (unsigned)a[i] / 1000u;
    y[5 * i + 4] = (unsigned)a[i] % (unsigned)b[i];
}
