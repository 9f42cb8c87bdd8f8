// One thread: the whole copy with its zeros, then the sums one after the other.

extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols,
                                    int width) {
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0) {
        for (int row = 0; row < rows; row++) {
            for (int col = 0; col < width; col++) {
                padded[row * width + col] = col < cols ? in[row * cols + col] : 0;
            }
        }
    }
}

extern "C" __global__ void row_sums(const float *padded, float *out, int rows, int width) {
    if (blockIdx.x + threadIdx.x == 0) {
        for (int row = 0; row < rows; row++) {
            out[row] = 0;
            for (int col = 0; col < width; col++) {
                out[row] += padded[row * width + col];
            }
        }
    }
}
