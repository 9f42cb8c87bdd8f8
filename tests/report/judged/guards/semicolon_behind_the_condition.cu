extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n); {
        out[i] = in[i] + 10;
    }
}
