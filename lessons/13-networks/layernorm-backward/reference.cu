// A thread a row, in double.
extern "C" __global__ void layernorm_backward(const float *dy, const float *xhat,
                                              const float *gain, const float *scale, float *dx,
                                              int rows, int cols) {
    int row = blockIdx.x * 4 + threadIdx.x;
    if (threadIdx.x >= 4 || row >= rows) {
        return;
    }
    dy += (long long)row * cols;
    xhat += (long long)row * cols;
    dx += (long long)row * cols;
    double sum = 0, along = 0;
    for (int c = 0; c < cols; c++) {
        double g = (double)dy[c] * gain[c];
        sum += g;
        along += g * xhat[c];
    }
    for (int c = 0; c < cols; c++) {
        double g = (double)dy[c] * gain[c];
        dx[c] = (float)(scale[row] * (g - sum / cols - xhat[c] * along / cols));
    }
}
