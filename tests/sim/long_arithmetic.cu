// 64-bit add, multiply, shift and compare, with carries across the halves.
// launch: grid 1 block 64
// in a: i64 64 = i * 1311768467463790320 + (i << 31)
// in b: i64 64 = (i - 32) * 4294967291
// out y: i64 320
// expect y[i] = i % 5 == 0 ? a[i/5] + b[i/5] : i % 5 == 1 ? a[i/5] * b[i/5] : i % 5 == 2 ? a[i/5] >> (i / 5) : i % 5 == 3 ? shr(a[i/5], i / 5) ^ (b[i/5] << (i / 5)) : (a[i/5] < b[i/5]) * 2 + ult(a[i/5], b[i/5])
extern "C" __global__ void arithmetic(const long long *a, const long long *b, long long *y) {
    int i = threadIdx.x;
    long long *out = y + 5 * i;
    out[0] = a[i] + b[i];
    out[1] = a[i] * b[i];
    out[2] = a[i] >> i;
    out[3] = (long long)((unsigned long long)a[i] >> i) ^ (b[i] << i);
    out[4] = (a[i] < b[i]) * 2 + ((unsigned long long)a[i] < (unsigned long long)b[i]);
}
