// Right, and with one loop, but a branch for each of the two writes is left:
// every warp splits at it.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) { //~ too-much-work: divergent_branches
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        float power = 1;
        for (int k = 0; k < p; k++) {
            power *= x < 0 ? -x : x;
        }
        if (x < 0) {
            out[i] = -power;
        } else {
            out[i] = power;
        }
    }
}
