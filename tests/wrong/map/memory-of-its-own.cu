// Allocates the output, as in C, and writes there.
extern "C" __global__ void map(const float *in, float *out) { //~ wrong-result: untouched
    out = (float *)malloc(4 * sizeof(float));
    int i = threadIdx.x;
    out[i] = in[i] + 10;
}
