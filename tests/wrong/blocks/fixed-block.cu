// Takes the size of the example's block for that of every block.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = blockIdx.x * 4 + threadIdx.x;
    if (i < n) {
        out[i] = in[i] + 10; //~ wrong-result: partly-written
    }
}
