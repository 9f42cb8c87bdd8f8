// No guard: the surplus threads read past the end.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i]; //~ out-of-bounds
    float size = x < 0 ? -x : x;
    float power = 1;
    for (int k = 0; k < p; k++) {
        power *= size;
    }
    out[i] = x < 0 ? -power : power;
}
