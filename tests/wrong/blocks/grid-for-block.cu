// Multiplies by the number of blocks instead of the number of threads in one.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] + 10; //~ wrong-result: partly-written
    }
}
