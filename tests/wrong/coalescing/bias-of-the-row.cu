// Adds to each row a number of its own, not to each column.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols;
    int col = i % cols;
    if (row < rows) {
        out[row * cols + col] = in[row * cols + col] + bias[row % cols]; //~ wrong-result
    }
}
