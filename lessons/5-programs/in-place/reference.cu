// What filter() should do, on the host.
void filter(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        float left = i > 0 ? 3 * in[i - 1] : 0;
        float right = i + 1 < n ? 3 * in[i + 1] : 0;
        float sum = left + 3 * in[i] + right;
        out[i] = sum > 20 ? 20 : sum;
    }
}
