// Surplus threads return first; the rest are counted from the far corner.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out,
                                     int rows, int cols) {
    if (threadIdx.x == cols || threadIdx.y == rows) {
        return;
    }
    int col = cols - 1 - threadIdx.x, row = rows - 1 - threadIdx.y;
    float sum = a[row];
    sum += b[col];
    out[row * cols + col] = sum;
}
