// One thread of each block does the block's work.
extern "C" __global__ void blocks(const float *in, float *out, int n) { //~ too-much-work: global_reads_per_thread
    if (threadIdx.x == 0) {
        int first = blockIdx.x * blockDim.x;
        for (int i = first; i < first + blockDim.x && i < n; i++) {
            out[i] = in[i] + 10;
        }
    }
}
