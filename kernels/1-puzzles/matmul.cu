// matmul: multiply two matrices.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major.
// Blocks of TILE × TILE threads, enough to have a thread for each element of
// out.
//
// This kernel is right, but every thread reads a whole row and a whole column
// from global memory.

#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += a[row * inner + k] * b[k * cols + col];
        }
        out[row * cols + col] = sum;
    }
}
