// What sum_everywhere() should do, on the host, for three GPUs.

void sum_everywhere(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int g = 0; g < 3; g++) {
            sum += in[g * n + i];
        }
        for (int g = 0; g < 3; g++) {
            out[g * n + i] = sum;
        }
    }
}
