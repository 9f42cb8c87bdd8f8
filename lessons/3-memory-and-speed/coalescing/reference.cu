// out[row][col] = in[row][col] + bias[col], a thread for each element.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        out[i] = in[i] + bias[i % cols];
    }
}
