// Guards the number in the block, not the index.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < n) {
        out[i] = in[i] + 10; //~ out-of-bounds
    }
}
