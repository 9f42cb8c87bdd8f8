// Approximate intrinsics: within their documented errors.
// launch: grid 1 block 64
// in a: f32 64 = i * 0.05 + 0.1
// out y: f32 512
// expect y[i] = i % 8 == 0 ? sin(a[i/8]) : i % 8 == 1 ? cos(a[i/8]) : i % 8 == 2 ? exp(a[i/8]) : i % 8 == 3 ? log(a[i/8]) : i % 8 == 4 ? a[i/8] / 3 : i % 8 == 5 ? pow(a[i/8], 2.5) : i % 8 == 6 ? 1 / sqrt(a[i/8]) : log2(a[i/8]) ~ 2e-6
extern "C" __global__ void fast(const float *a, float *y) {
    int i = threadIdx.x;
    float *out = y + 8 * i;
    out[0] = __sinf(a[i]);
    out[1] = __cosf(a[i]);
    out[2] = __expf(a[i]);
    out[3] = __logf(a[i]);
    out[4] = __fdividef(a[i], 3.0f);
    out[5] = __powf(a[i], 2.5f);
    out[6] = rsqrtf(a[i]);
    out[7] = __log2f(a[i]);
}
