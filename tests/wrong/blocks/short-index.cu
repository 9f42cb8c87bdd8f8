// The index is kept in a type that ends at 32767.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 0 && i < n) {
        out[i] = in[i] + 10; //~ wrong-result: partly-written
    }
}
