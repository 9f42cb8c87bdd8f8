// mandelbrot: for each point of a picture, the number of steps that it takes to
// leave the circle of radius 2; limit if it is still inside by then.
//
// out: (rows, cols), row-major. shift: two numbers that shift the picture.
// Blocks of 32×4 threads, enough to have a thread for each point.

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
        int count = 0;
        // Lanes leave this loop at different turns. The warp continues until the last
        // of them has left.
        while (x * x + y * y <= 4) {
            step(x, y, c_x, c_y);
            count++;
        }
        out[row * cols + col] = count;
    }
}
