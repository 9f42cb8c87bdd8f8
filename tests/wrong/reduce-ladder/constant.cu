// Writes one value, whatever the input.
extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = 0; //~ wrong-result: all-zero
    }
}
