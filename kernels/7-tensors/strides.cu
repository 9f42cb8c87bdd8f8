// strides: out = a + b, for any layout of a and b.
//
// a, b: matrices of shape (rows, cols), each with its own strides. One row
//       further down is a_row floats further on, one column to the right
//       a_col floats; for b it is b_row and b_col.
// out: (rows, cols), row-major, without gaps.
// Blocks of 8×4 threads (x × y), enough to cover the result.

extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    // Write here what one thread does.
}
