// Reads neighbours, but as if the matrix were column-major.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int col = i / rows;
    int row = i % rows;
    if (col < cols) {
        out[col * rows + row] = in[col * rows + row] + bias[col]; //~ wrong-result
    }
}
