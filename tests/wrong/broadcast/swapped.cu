// Indexes a by the column and b by the row.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out,
                                     int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        out[row * cols + col] = a[col] + b[row]; //~ wrong-result: transposed
    }
}
