// What sum_in_pieces() should do, on the host, for three GPUs.

void sum_in_pieces(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = (double)in[i] + in[n + i] + in[2 * n + i];
    }
}
