// row sums of a matrix, using a padded copy.
//
// Launched one after the other:
//   1. pad_rows   in blocks of 8 × 8 threads, enough to cover padded
//   2. row_sums   with a thread for each row
//
// in: (rows, cols). padded: (rows, width), row-major, where width is cols
// rounded up to a multiple of four. out: one float for each row.

extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols,
                                    int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        padded[row * width + col] = in[row * cols + col];
    }
}

// Takes four elements at a time: a row of padded is a whole number of fours.
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
