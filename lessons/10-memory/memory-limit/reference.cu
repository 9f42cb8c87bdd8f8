// What smooth_all() should do, on the host.
void smooth_all(const float *in, float *out, int n, int) {
    for (int i = 0; i < n; i++) {
        out[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i + 1 < n ? in[i + 1] : 0);
    }
}
