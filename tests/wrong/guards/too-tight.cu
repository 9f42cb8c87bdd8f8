// Leaves out the last element.
extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n - 1) {
        out[i] = in[i] + 10; //~ wrong-result: partly-written
    }
}
