// One warp works on all elements.

// __restrict__: what is written to out is not in x, so the compiler may let the
// reads of the next elements begin before this one is written.
extern "C" __global__ void scale_shift_relu(const float *__restrict__ x, float *t, float *u,
                                            float *__restrict__ out, float a, float b, int n) {
    int first = threadIdx.x; if (blockIdx.x > 0 || threadIdx.x >= 32) return; //~ too-much-work: global_reads_per_thread
    int step = 32;
#pragma unroll 4 // four reads under way at a time
    for (int i = first; i < n; i += step) {
        // One read, all three steps on a variable of the thread, one write.
        float v = a * x[i] + b;
        out[i] = v > 0 ? v : 0;
    }
}
