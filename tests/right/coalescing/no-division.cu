// The column is what i has over a multiple of cols: no remainder.
// add_bias: out[row][col] = in[row][col] + bias[col].
//
// in, out: (rows, cols), row-major. bias: cols floats.
// Enough blocks of 256 threads to have a thread for each element.

extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // The remainder changes from thread to thread, so it must be what changes
    // from one element in memory to the next: in a row-major matrix, the column.
    if (i < rows * cols) {
        int row = 0, col = i;
        if (cols < i + 1) {
            row = i / cols;
            col = i - row * cols;
        }
        // row * cols + col is i itself: threads are dealt out in memory order.
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
}
