// broadcast_matmul: out = x @ w, the same w for every matrix of x.
//
// x:   [n0, n1, n2, inner], contiguous: n0 * n1 matrices of n2 rows.
// w:   [inner, cols], row-major.
// out: [n0, n1, n2, cols], contiguous.
// Blocks of 256 threads, enough for a thread for each element of out.

extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    // Write here what one thread does.
}
