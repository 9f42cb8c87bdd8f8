// Right, but the branches now follow one another: each lane still sits one out.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) { //~ too-much-work: divergent_branches
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        float power = 1;
        if (x >= 0) {
            for (int k = 0; k < p; k++) {
                power *= x;
            }
            out[i] = power;
        }
        if (x < 0) {
            for (int k = 0; k < p; k++) {
                power *= -x;
            }
            out[i] = -power;
        }
    }
}
