// Leaves the sign to the multiplication: an even power has none.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float power = 1;
        for (int k = 0; k < p; k++) {
            power *= in[i];
        }
        out[i] = power; //~ wrong-result
    }
}
