// broadcast_matmul: out = x @ w, the same w for every matrix of x.
//
// x:   [n0, n1, n2, inner], contiguous: n0 * n1 matrices of n2 rows.
// w:   [inner, cols], row-major.
// out: [n0, n1, n2, cols], contiguous.
// Blocks of 256 threads, enough for a thread for each element of out.

extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Nothing lies between the matrices of x, so their rows are one long list:
    // the result does not depend on which matrix a row belongs to.
    int rows = n0 * n1 * n2;
    int row = i / cols, col = i % cols;
    if (row < rows) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            // w has no batch: it is as if its stride for each leading dimension
            // were 0.
            sum += x[row * inner + k] * w[k * cols + col];
        }
        out[i] = sum;
    }
}
