// broadcast: add a column and a row to make a matrix.
//
// a: (rows, 1), b: (1, cols), out: (rows, cols), row-major.
// One block of (cols + 1) × (rows + 1) threads: one column and one row of
// threads too many.

extern "C" __global__ void broadcast(const float *a, const float *b, float *out,
                                     int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        // Nothing is copied to make a and b as large as out: all threads of a
        // row read the same element of a, all of a column the same of b.
        out[row * cols + col] = a[row] + b[col];
    }
}
