// Four sums for the four columns of each group, from the last group to the first.
extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols,
                                    int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= width) {
        return;
    }
    if (col >= cols) {
        padded[row * width + col] = 0;
    } else {
        padded[row * width + col] = in[row * cols + col];
    }
}

extern "C" __global__ void row_sums(const float *padded, float *out, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float part[4] = {};
        for (int col = width - 4; col >= 0; col -= 4) {
            for (int k = 0; k < 4; k++) {
                part[k] += padded[row * width + col + k];
            }
        }
        out[row] = part[0] + part[1] + part[2] + part[3];
    }
}
