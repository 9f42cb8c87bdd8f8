// One thread makes the whole copy.
extern "C" __global__ void pad_rows(const float *in, float *padded, int rows, int cols, //~ too-much-work: global_writes_per_thread
                                    int width) {
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y > 0) return;
    for (int row = 0; row < rows; row++) for (int col = 0; col < width; col++) padded[row * width + col] = col < cols ? in[row * cols + col] : 0;
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
