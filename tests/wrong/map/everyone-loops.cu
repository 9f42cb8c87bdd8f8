// Keeps the loop of C: every thread does everybody's work.
extern "C" __global__ void map(const float *in, float *out) { //~ too-much-work: global_reads_per_thread
    for (int i = 0; i < blockDim.x; i++) {
        out[i] = in[i] + 10;
    }
}
