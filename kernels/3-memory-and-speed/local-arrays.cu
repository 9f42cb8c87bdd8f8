// despike: out[i] = the median of the nine elements around in[i]
//
// in, out: n floats. Enough blocks of 256 threads. Past an end, the last
// element stands for those that are missing.
//
// This kernel is right, but its array is not in registers.

constexpr int WIDTH = 9;

extern "C" __global__ void despike(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float w[WIDTH];
    for (int k = 0; k < WIDTH; k++) {
        float x = in[min(max(i + k - WIDTH / 2, 0), n - 1)];
        // Those that are larger move up by one.
        int at = k;
        while (at > 0 && w[at - 1] > x) {
            w[at] = w[at - 1];
            at--;
        }
        w[at] = x;
    }
    out[i] = w[WIDTH / 2];
}
