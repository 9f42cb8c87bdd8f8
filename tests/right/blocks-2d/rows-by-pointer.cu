// Surplus threads return first; the rest go by a pointer to their row.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) {
        return;
    }
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    const float *from = in + row * cols;
    float *to = out + row * cols;
    to[col] = fmaf(10, row, from[col]) + col;
}
