// Counts in 8 bits: a limit above 255 is never reached.

// One step: (x, y) becomes (x² - y² + c_x, 2xy + c_y). Written with functions that
// round after each operation, so that all compilers draw the same picture.
__device__ void step(float &x, float &y, float c_x, float c_y) {
    float next_x = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), c_x);
    y = __fadd_rn(__fmul_rn(2 * x, y), c_y);
    x = next_x;
}

extern "C" __global__ void mandelbrot(const float *shift, int *out, int rows, int cols,
                                      int limit) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // The picture is 3 wide and 2.4 high.
    float c_x = __fadd_rn(-2.2f + shift[0], __fmul_rn(col, 3.0f / cols));
    float c_y = __fadd_rn(-1.2f + shift[1], __fmul_rn(row, 2.4f / rows));
    if (row < rows && col < cols) {
        float x = 0, y = 0;
        unsigned char count = 0;
        // Lanes leave this loop at different turns. The warp goes on until the
        // last of them has left.
        while (count < limit && x * x + y * y <= 4) { //~ endless-loop
            step(x, y, c_x, c_y);
            count++;
        }
        out[row * cols + col] = count;
    }
}
