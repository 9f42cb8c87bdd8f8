// 64-bit division and remainder, which compile to calls and loops.
// launch: grid 1 block 64
// in a: i64 64 = (i - 31) * 98765432109876543
// in b: i64 64 = (i % 2 == 0 ? 1 : -1) * (i * i * i * 37 + 3)
// out y: i64 256
// expect y[i] = i % 4 == 0 ? a[i/4] / b[i/4] : i % 4 == 1 ? a[i/4] % b[i/4] : i % 4 == 2 ? udiv(a[i/4], b[i/4]) : umod(a[i/4], b[i/4])
extern "C" __global__ void divide(const long long *a, const long long *b, long long *y) {
    int i = threadIdx.x;
    unsigned long long ua = a[i], ub = b[i];
    y[4 * i] = a[i] / b[i];
    y[4 * i + 1] = a[i] % b[i];
    y[4 * i + 2] = ua / ub;
    y[4 * i + 3] = ua % ub;
}
