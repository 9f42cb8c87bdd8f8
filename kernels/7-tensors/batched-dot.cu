// batched_dot: out[row] = the dot product of row `row` of a and of b.
//
// a, b: (batch, n), row-major. out: batch floats.
// t:    room for (batch, n) floats, not needed afterwards.
// Blocks of 256 threads: eight warps, each with its own row.
//
// This kernel is right, but the products go to memory and come back.

#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;

    // First all products, as a * b computes them.
    if (row < batch) {
        for (int i = lane; i < n; i += 32) {
            t[row * n + i] = a[row * n + i] * b[row * n + i];
        }
    }
    __syncthreads();

    // Then the sum of each row of them.
    if (row < batch && lane == 0) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += t[row * n + i];
        }
        out[row] = sum;
    }
}
