// No guard: the last block runs past the end.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 10; //~ out-of-bounds
}
