// Makes the matrix volatile, which orders nothing.
// add_transposed: x = x + x.T, in place.
//
// x: (n, n), row-major.
// Blocks of 8×8 threads, enough for a thread for each element.

extern "C" __global__ void add_transposed(volatile float *x, int n) { //~ wrong-result
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        x[row * n + col] += x[col * n + row];
    }
}
