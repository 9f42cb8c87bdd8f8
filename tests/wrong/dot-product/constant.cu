// Writes one value, whatever the inputs.
extern "C" __global__ void dot_product(const float *a, const float *b, float *out,
                                       int n) {
    if (threadIdx.x == 0) {
        out[0] = 20; //~ wrong-result
    }
}
