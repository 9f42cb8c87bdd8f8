// Stores the result with rows and columns exchanged.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out,
                                     int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = a[row] + b[col]; //~ wrong-result: transposed
    }
}
