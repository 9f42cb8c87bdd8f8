// Writes one value, whatever the inputs.
extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 0; //~ wrong-result: all-zero
    }
}
