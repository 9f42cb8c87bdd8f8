// add_bias: out[row][col] = in[row][col] + bias[col].
//
// in, out: (rows, cols), row-major. bias: cols floats.
// Enough blocks of 256 threads to have a thread for each element.

extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // The remainder changes from thread to thread, so it must be what changes
    // from one element in memory to the next: in a row-major matrix, the column.
    int row = i / cols;
    int col = i % cols;
    if (row < rows) {
        // row * cols + col is i itself: threads follow the order of memory.
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
}
