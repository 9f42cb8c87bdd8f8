// Row and column are right, but the guard still looks at the column.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols;
    int col = i % cols;
    if (col < cols) {
        out[row * cols + col] = in[row * cols + col] + bias[col]; //~ out-of-bounds
    }
}
