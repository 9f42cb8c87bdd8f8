// One thread does everybody's work.
extern "C" __global__ void map(const float *in, float *out) { //~ too-much-work: global_reads_per_thread
    if (threadIdx.x == 0) {
        for (int i = 0; i < blockDim.x; i++) {
            out[i] = in[i] + 10;
        }
    }
}
