// Right, but lanes with a zero leave early: their warp goes on
// without them, and nothing is won.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) { //~ too-much-work: divergent_branches
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        if (x == 0 && p > 0) {
            out[i] = 0;
            return;
        }
        float size = x < 0 ? -x : x;
        float power = 1;
        for (int k = 0; k < p; k++) {
            power *= size;
        }
        out[i] = x < 0 ? -power : power;
    }
}
