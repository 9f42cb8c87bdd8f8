// Takes the number of rows for the length of a row.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out,
                                     int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        out[row * rows + col] = a[row] + b[col]; //~ global-race
    }
}
