// What pipeline() should do, on the host.
void pipeline(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        float most = in[i];
        for (int k = 1; k < 4; k++) {
            float x = in[(i + k) % n];
            most = x > most ? x : most;
        }
        out[i] = 10 * in[i] * most + in[i];
    }
}
