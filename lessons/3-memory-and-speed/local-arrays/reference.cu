// The median: of the nine around in[i], that which four others stand before. Of equals, the first stands first.
extern "C" __global__ void despike(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    for (int k = -4; k <= 4; k++) {
        float x = in[min(max(i + k, 0), n - 1)];
        int before = 0;
        for (int m = -4; m <= 4; m++) {
            float y = in[min(max(i + m, 0), n - 1)];
            before += y < x || (y == x && m < k);
        }
        if (before == 4) {
            out[i] = x;
        }
    }
}
