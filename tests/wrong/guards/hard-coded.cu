// Takes the size of the example for the size of every array.
extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < 4) {
        out[i] = in[i] + 10; //~ out-of-bounds
    }
}
