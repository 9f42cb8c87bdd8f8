// matmul: multiply two matrices.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major.
// Blocks of TILE × TILE threads, enough to have a thread for each element of
// out.
//
// This kernel is right, and works in steps of TILE; but every thread reads all that
// it needs from global memory.

#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    float sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        // One step: TILE products.
        for (int j = 0; j < TILE; j++) {
            int k = start + j;
            if (row < rows && col < cols && k < inner) {
                sum += a[row * inner + k] * b[k * cols + col];
            }
        }
    }
    if (row < rows && col < cols) {
        out[row * cols + col] = sum;
    }
}
