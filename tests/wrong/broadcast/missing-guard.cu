// No guard: the surplus row and column of threads run past all three arrays.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out,
                                     int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    out[row * cols + col] = a[row] + b[col]; //~ out-of-bounds
}
