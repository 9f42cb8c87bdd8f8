// Writes to the number in the block.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[threadIdx.x] = in[i] + 10; //~ global-race
    }
}
