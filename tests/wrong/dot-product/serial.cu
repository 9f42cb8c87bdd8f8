// One thread does everybody's work.
extern "C" __global__ void dot_product(const float *a, const float *b, float *out, //~ too-much-work: global_reads_per_thread
                                       int n) {
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i] * b[i];
        }
        out[0] = sum;
    }
}
