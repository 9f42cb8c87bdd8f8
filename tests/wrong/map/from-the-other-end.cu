// Counts the places from the other end.
extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    out[blockDim.x - 1 - i] = in[i] + 10; //~ wrong-result: reversed
}
