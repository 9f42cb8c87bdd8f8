// signed_power: out[i] = |in[i]| to the power of p, with the sign of in[i].
//
// in, out: n floats. Enough blocks of 256 threads.
//
// This kernel is right, but nearly every warp goes through both loops.

extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        if (x < 0) {
            float power = 1;
            for (int k = 0; k < p; k++) {
                power *= -x;
            }
            out[i] = -power;
        } else {
            float power = 1;
            for (int k = 0; k < p; k++) {
                power *= x;
            }
            out[i] = power;
        }
    }
}
