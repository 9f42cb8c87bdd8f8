// Writes one value, whatever the input.
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    if (threadIdx.x == 0) {
        out[blockIdx.y] = 31; //~ wrong-result: constant
    }
}
