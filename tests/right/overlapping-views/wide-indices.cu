// Indices of 64 bits.
// add_transposed: x = x + x.T, in place.
//
// x: (n, n), row-major.
// Blocks of 8×8 threads, enough for a thread for each element.

extern "C" __global__ void add_transposed(float *x, int n) {
    long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    // The elements (row, col) and (col, row) need only each other: a thread
    // that has both to itself can write both. Threads below the diagonal rest.
    if (row <= col && col < n) {
        float sum = x[row * n + col] + x[col * n + row];
        x[row * n + col] = sum;
        x[col * n + row] = sum; // on the diagonal the same place again
    }
}
