// Two guards, one for the read and one for the write: in the last warp each may split.
// signed_power: out[i] = |in[i]| to the power of p, with the sign of in[i].
//
// in, out: n floats. Enough blocks of 256 threads.

extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    if (i < n) {
        x = in[i];
    }
    float power = 1;
    for (int k = 0; k < p; k++) {
        power *= x < 0 ? -x : x;
    }
    if (i < n) {
        out[i] = x < 0 ? -power : power;
    }
}
