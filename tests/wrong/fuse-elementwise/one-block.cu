// One pass, but only the first block does it: the others have nothing to do.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) { //~ too-much-work: global_reads_per_thread
    if (blockIdx.x == 0) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            float v = a * x[i] + b;
            out[i] = v > 0 ? v : 0;
        }
    }
}
