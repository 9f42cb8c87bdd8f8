// The right answer by the plainest way there is: a program with the same function, which may do all
// of it on the host.
void {kernel}(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = in[i] + in[i];
    }
}
