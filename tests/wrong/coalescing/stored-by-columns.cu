// Stores the result with rows and columns exchanged.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols;
    int col = i % cols;
    if (row < rows) {
        out[col * rows + row] = in[row * cols + col] + bias[col]; //~ wrong-result: transposed
    }
}
