// Adds 10 times the column and the row.
// map_2d: add 10 * col + row to every element of a matrix.
//
// in, out: (rows, cols), row-major.
// One block of (cols + 1) × (rows + 1) threads: one column and one row of
// threads too many.

extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    // x runs along a row, as elements do in memory.
    int col = threadIdx.x;
    int row = threadIdx.y;
    // Two guards. Checking the flat index alone would not do: the thread at
    // column `cols` of row 0 would land on the first element of row 1.
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * col + row; //~ wrong-result
    }
}
