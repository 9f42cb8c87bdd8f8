extern "C" __global__ void matmul(const float *a, float *out, int n) {
    for (int k = 0; k < n; k++) {
        float total = 0;
        total += a[k];
    }
    out[0] = total;
}
