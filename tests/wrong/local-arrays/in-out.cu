// The array is in the output: that is memory too, and that of others.
extern "C" __global__ void despike(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    for (int k = 0; k < 9; k++) {
        int at = min(max(i + k - 4, 0), n - 1);
        out[at] = in[at];
    }
    out[i] = in[i]; //~ wrong-result
}
