// Right, but only two floats at a time.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) { //~ too-much-work: load_requests
    for (int k = 0; k < 2; k++) {
        int q = blockIdx.x * 512 + k * 256 + threadIdx.x;
        if (2 * q + 1 < n) {
            float2 from = ((const float2 *)x)[q];
            float2 sum = ((float2 *)y)[q];
            sum.x += a * from.x;
            sum.y += a * from.y;
            ((float2 *)y)[q] = sum;
        } else if (2 * q < n) {
            y[2 * q] += a * x[2 * q];
        }
    }
}
