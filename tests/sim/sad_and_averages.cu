// Sums of absolute differences and averages without overflow.
// launch: grid 1 block 32
// in a: i32 32 = i * 7 - 100
// in b: i32 32 = 50 - i * 11
// out y: i32 128
// expect y[i] = i % 4 == 0 ? abs(a[i/4] - b[i/4]) + 5 : i % 4 == 1 ? i32(u32(max(u32(a[i/4]), u32(b[i/4])) - min(u32(a[i/4]), u32(b[i/4]))) + 5) : i % 4 == 2 ? (a[i/4] + b[i/4]) >> 1 : i32((u32(a[i/4]) + u32(b[i/4]) + 1) >> 1)
extern "C" __global__ void differences(const int *a, const int *b, int *y) {
    int i = threadIdx.x;
    y[4 * i] = __sad(a[i], b[i], 5u);
    y[4 * i + 1] = __usad(a[i], b[i], 5u);
    y[4 * i + 2] = __hadd(a[i], b[i]);
    y[4 * i + 3] = __urhadd(a[i], b[i]);
}
