// Two pointers, one along the row and one down the column, and two sums.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = n0 * n1 * n2;
    int row = i / cols, col = i % cols;
    if (i >= rows * cols) {
        return;
    }
    const float *along = x + row * inner, *down = w + col, *end = along + inner;
    float even = 0, odd = 0;
    for (; along + 1 < end; along += 2, down += 2 * cols) {
        even += along[0] * down[0];
        odd += along[1] * down[cols];
    }
    if (along < end) {
        even += *along * *down;
    }
    out[i] = even + odd;
}
