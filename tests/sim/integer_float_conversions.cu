// Integers of every width to floats and back.
// launch: grid 1 block 32
// in a: i64 32 = (i - 16) * 1234567890123 + i
// out y: f32 64
// out z: f64 64
// out w: i64 64
// expect y[i] = i % 2 == 0 ? f32(a[i/2]) : f32(u32(a[i/2]))
// expect z[i] = i % 2 == 0 ? a[i/2] * 1.0 : i8(a[i/2]) * 1.0
// expect w[i] = i % 2 == 0 ? int(trunc(a[i/2] * 0.5)) : int(trunc(max(a[i/2] * 0.25, 0)))
extern "C" __global__ void convert(const long long *a, float *y, double *z, long long *w) {
    int i = threadIdx.x;
    y[2 * i] = (float)a[i];
    y[2 * i + 1] = (float)(unsigned)a[i];
    z[2 * i] = (double)a[i];
    z[2 * i + 1] = (double)(signed char)a[i];
    w[2 * i] = (long long)((double)a[i] * 0.5);
    w[2 * i + 1] = (long long)(unsigned long long)fmax((double)a[i] * 0.25, 0.0);
}
