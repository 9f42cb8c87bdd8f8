// Right, but one thread of each row does all of it.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) { //~ too-much-work: global_reads_per_thread
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && blockIdx.x == 0 && threadIdx.x == 0) {
        for (int col = 0; col < cols; col++) {
            out[row * cols + col] = a[row * a_row + col * a_col] + b[row * b_row + col * b_col];
        }
    }
}
