// Writes one value, whatever the input.
extern "C" __global__ void pooling(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = 12; //~ wrong-result: constant
    }
}
