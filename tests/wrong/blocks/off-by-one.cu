// The last valid index is n - 1, not n.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        out[i] = in[i] + 10; //~ out-of-bounds
    }
}
