// below_the_top: every element minus the largest of its row.
//
// in, out: (rows, cols), row-major.
// Blocks of 128 threads: four warps, each with a row of its own.

#define ALL_LANES 0xffffffffu

extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    // The whole warp has one row: either all of its lanes are inside, or none.
    if (row < rows) {
        // Begin with any element of the row: then no smallest number is
        // needed. Lanes without an element keep this one.
        float largest = in[row * cols];
        for (int c = lane; c < cols; c += 32) {
            largest = fmaxf(largest, in[row * cols + c]);
        }
        // After that loop all 32 lanes are together again. In each step
        // two lanes exchange what they have, and both keep the larger.
        for (int d = 16; d > 0; d /= 2) {
            largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, d));
        }
        // Now all lanes have the largest: each continues with its own elements.
        for (int c = lane; c < cols; c += 32) {
            out[row * cols + c] = in[row * cols + c] - largest;
        }
    }
}
