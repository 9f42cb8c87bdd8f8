// What centre() should do, on the host.
void centre(const float *in, float *out, int n) {
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += 2 * in[i];
    }
    for (int i = 0; i < n; i++) {
        out[i] = (float)(2 * in[i] - total);
    }
}
