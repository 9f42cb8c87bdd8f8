// One thread does everybody's work.
extern "C" __global__ void pooling(const float *in, float *out, int n) { //~ too-much-work: global_reads_per_thread
    if (threadIdx.x == 0) {
        float before = 0, before_that = 0;
        for (int i = 0; i < n; i++) {
            float own = in[i];
            out[i] = own + before + before_that;
            before_that = before;
            before = own;
        }
    }
}
