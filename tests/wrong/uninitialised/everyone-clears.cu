// Each thread of a row clears the whole padding of its row.
extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols, //~ too-much-work: global_writes
                                    int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        padded[row * width + col] = in[row * cols + col];
        for (int k = cols; k < width; k++) {
            padded[row * width + k] = 0;
        }
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
