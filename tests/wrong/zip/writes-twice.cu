// Uses the output as a scratch variable: two writes instead of one.
extern "C" __global__ void zip(const float *a, const float *b, float *out) { //~ too-much-work: global_writes_per_thread
    int i = threadIdx.x;
    out[i] = a[i];
    out[i] = out[i] + b[i];
}
