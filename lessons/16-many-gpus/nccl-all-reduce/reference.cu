// What sum_everywhere() should do, on the host, for three GPUs.

void sum_everywhere(const float *in, float *out, int n, int rounds) {
    for (int i = 0; i < 3 * n; i++) {
        out[i] = in[i];
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            float sum = out[i] + out[n + i] + out[2 * n + i];
            for (int g = 0; g < 3; g++) {
                out[g * n + i] = sum;
            }
        }
    }
}
