// No guard: the surplus row and column of threads run past the matrix.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    int i = row * cols + col;
    out[i] = in[i] + 10 * row + col; //~ out-of-bounds
}
