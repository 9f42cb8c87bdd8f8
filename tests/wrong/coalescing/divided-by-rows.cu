// Swaps quotient and remainder, but still counts in columns' lengths.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / rows;
    int col = i % rows;
    if (row < rows && col < cols) {
        out[row * cols + col] = in[row * cols + col] + bias[col]; //~ wrong-result: partly-written
    }
}
