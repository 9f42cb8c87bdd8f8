// The comparisons are always the same, whatever the values: with the loops
// unrolled every index is a number, and w is nine registers.

constexpr int WIDTH = 9;

extern "C" __global__ void despike(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float w[WIDTH];
    #pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        w[k] = in[min(max(i + k - WIDTH / 2, 0), n - 1)];
    }
    // Neighbours are compared, in pairs that begin at 0 and at 1 by turns.
    #pragma unroll
    for (int pass = 0; pass < WIDTH; pass++) {
        #pragma unroll
        for (int k = pass % 2; k + 1 < WIDTH; k += 2) {
            float low = fminf(w[k], w[k + 1]);
            float high = fmaxf(w[k], w[k + 1]);
            w[k] = low;
            w[k + 1] = high;
        }
    }
    out[i] = w[WIDTH / 2];
}
