// Single-precision library functions, which compile to polynomials and table look-ups.
// launch: grid 1 block 64
// in a: f32 64 = i * 0.31 - 9.3
// out y: f32 640
// expect y[i] = i % 10 == 0 ? sin(a[i/10]) : i % 10 == 1 ? cos(a[i/10]) : i % 10 == 2 ? tan(a[i/10]) : i % 10 == 3 ? exp(a[i/10]) : i % 10 == 4 ? log(abs(a[i/10])) : i % 10 == 5 ? tanh(a[i/10]) : i % 10 == 6 ? atan2(a[i/10], 2) : i % 10 == 7 ? cbrt(a[i/10]) : i % 10 == 8 ? pow(abs(a[i/10]), 1.5) : hypot(a[i/10], 3) ~ 6e-7
extern "C" __global__ void library(const float *a, float *y) {
    int i = threadIdx.x;
    float *out = y + 10 * i, x = a[i];
    out[0] = sinf(x);
    out[1] = cosf(x);
    out[2] = tanf(x);
    out[3] = expf(x);
    out[4] = logf(fabsf(x));
    out[5] = tanhf(x);
    out[6] = atan2f(x, 2.0f);
    out[7] = cbrtf(x);
    out[8] = powf(fabsf(x), 1.5f);
    out[9] = hypotf(x, 3.0f);
}
