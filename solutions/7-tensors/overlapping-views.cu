// add_transposed: x = x + x.T, in place.
//
// x: (n, n), row-major.
// Blocks of 8×8 threads, enough for a thread for each element.

extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // The elements (row, col) and (col, row) need only each other, so one
    // thread reads and writes both. Threads below the diagonal do nothing.
    if (row <= col && col < n) {
        float sum = x[row * n + col] + x[col * n + row];
        x[row * n + col] = sum;
        x[col * n + row] = sum; // on the diagonal the same place again
    }
}
