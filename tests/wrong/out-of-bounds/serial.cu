// Right, but one thread does everybody's work.
extern "C" __global__ void runs(const int *in, int *out, int n) { //~ too-much-work: global_writes_per_thread
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int run = 0;
        for (int i = n - 1; i >= 0; i--) {
            run = i + 1 < n && in[i] == in[i + 1] ? run + 1 : 1;
            out[i] = run;
        }
    }
}
