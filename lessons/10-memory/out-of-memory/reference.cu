// What process() should do, on the host.
void others_leave(long long) {}

void process(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = in[i] * in[i] + in[i];
    }
}
