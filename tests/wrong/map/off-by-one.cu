// Counts threads from 1: the last thread is one past the end.
extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x + 1;
    out[i] = in[i] + 10; //~ out-of-bounds
}
