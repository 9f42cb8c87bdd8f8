// Clears wherever there is no element, outside of padded too.
extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols,
                                    int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        padded[row * width + col] = in[row * cols + col];
    } else {
        padded[row * width + col] = 0; //~ out-of-bounds
    }
}

extern "C" __global__ void row_sums(const float *padded, float *out, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int col = 0; col < width; col += 4) {
            const float *four = padded + row * width + col;
            sum += (four[0] + four[1]) + (four[2] + four[3]);
        }
        out[row] = sum;
    }
}
