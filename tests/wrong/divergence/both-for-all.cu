// Right, and no warp splits: every lane does both loops.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) { //~ too-much-work: warp_instructions
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        float up = 1, down = 1;
        for (int k = 0; k < p; k++) {
            up *= x;
        }
        for (int k = 0; k < p; k++) {
            down *= -x;
        }
        out[i] = x < 0 ? -down : up;
    }
}
