// One thread does everybody's work.
extern "C" __global__ void guards(const float *in, float *out, int n) { //~ too-much-work: global_reads_per_thread
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            out[i] = in[i] + 10;
        }
    }
}
