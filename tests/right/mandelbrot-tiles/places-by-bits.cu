// Places by bits, and the test stands behind the step.
__device__ void step(float &x, float &y, float c_x, float c_y) {
    float next_x = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), c_x);
    y = __fadd_rn(__fmul_rn(2 * x, y), c_y);
    x = next_x;
}

extern "C" __global__ void mandelbrot(const float *shift, int *out, int rows, int cols,
                                      int limit) {
    int lane = threadIdx.x, warp = threadIdx.y;
    int col = blockIdx.x << 5 | warp << 3 | (lane & 7);
    int row = blockIdx.y << 2 | lane >> 3;
    float c_x = __fadd_rn(-2.2f + shift[0], __fmul_rn(col, 3.0f / cols));
    float c_y = __fadd_rn(-1.2f + shift[1], __fmul_rn(row, 2.4f / rows));
    if (row < rows && col < cols) {
        float x = 0, y = 0;
        int count;
        bool inside = true;
        for (count = 0; inside && count < limit; count++) {
            step(x, y, c_x, c_y);
            inside = x * x + y * y <= 4;
        }
        out[row * cols + col] = count;
    }
}
