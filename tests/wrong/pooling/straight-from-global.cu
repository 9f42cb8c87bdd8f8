// Right, but every element is fetched three times.
extern "C" __global__ void pooling(const float *in, float *out, int n) { //~ too-much-work: global_reads_per_thread
    int i = threadIdx.x;
    if (i < n) {
        float sum = in[i];
        if (i >= 1) {
            sum += in[i - 1];
        }
        if (i >= 2) {
            sum += in[i - 2];
        }
        out[i] = sum;
    }
}
