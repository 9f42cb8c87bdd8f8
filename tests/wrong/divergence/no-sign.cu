// One loop for all lanes, but the sign is lost.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float size = in[i] < 0 ? -in[i] : in[i];
        float power = 1;
        for (int k = 0; k < p; k++) {
            power *= size;
        }
        out[i] = power; //~ wrong-result
    }
}
