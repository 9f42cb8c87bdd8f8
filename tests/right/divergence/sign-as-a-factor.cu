// The sign is a number that is multiplied in, and the loop counts down.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        float sign = (x > 0) - (x < 0), size = sign * x, power = sign;
        if (p == 0) {
            power = x < 0 ? -1 : 1;
        }
        for (int left = p; left-- > 0;) {
            power *= size;
        }
        out[i] = power;
    }
}
