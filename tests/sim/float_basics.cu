// Float arithmetic, each result rounded once; fused where asked for.
// launch: grid 1 block 64
// in a: f32 64 = (i - 20) * 0.37
// in b: f32 64 = i * 1.7 + 0.01
// out y: f32 384
// expect y[i] = i % 6 == 0 ? f32(a[i/6] + b[i/6]) : i % 6 == 1 ? f32(a[i/6] * b[i/6]) : i % 6 == 2 ? f32(a[i/6] / b[i/6]) : i % 6 == 3 ? f32(sqrt(b[i/6])) : i % 6 == 4 ? f32(fma(a[i/6], b[i/6], b[i/6])) : f32(1 / b[i/6])
extern "C" __global__ void basics(const float *a, const float *b, float *y) {
    int i = threadIdx.x;
    float *out = y + 6 * i;
    out[0] = a[i] + b[i];
    out[1] = a[i] * b[i];
    out[2] = a[i] / b[i];
    out[3] = sqrtf(b[i]);
    out[4] = fmaf(a[i], b[i], b[i]);
    out[5] = __frcp_rn(b[i]);
}
