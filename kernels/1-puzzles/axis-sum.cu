// axis_sum: add up each row of a matrix, in a tree.
//
// in: (rows, cols), row-major. out: one float for each row.
// A grid of 1 × rows blocks: one block for each row.
// blockDim.x is a power of two and at least cols.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    // Write here what one thread does.
}
