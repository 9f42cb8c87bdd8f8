// The right answer by the plainest way there is. It runs on the simulator, with the launches of
// lesson.toml; what it leaves in the outputs is what the learner's kernel must leave there.

extern "C" __global__ void {kernel}(const float *in, float *out, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            out[i] = in[i] + in[i];
        }
    }
}
