// The mean follows a spike, the median does not.
extern "C" __global__ void despike(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float sum = 0;
    for (int k = -4; k <= 4; k++) {
        sum += in[min(max(i + k, 0), n - 1)];
    }
    out[i] = sum / 9; //~ wrong-result
}
