// Clears the padding behind the first row; every row has its own.
extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols,
                                    int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        padded[row * width + col] = in[row * cols + col];
    } else if (row == 0 && col < width) {
        padded[col] = 0;
    }
}

extern "C" __global__ void row_sums(const float *padded, float *out, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int col = 0; col < width; col += 4) {
            const float *four = padded + row * width + col;
            sum += (four[0] + four[1]) + (four[2] + four[3]); //~ uninitialised-read
        }
        out[row] = sum;
    }
}
