extern "C" __global__ void dot_product(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[0] += a[i] * b[i];
}
