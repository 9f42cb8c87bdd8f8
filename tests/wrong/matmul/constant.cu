// Writes zero everywhere.
#define TILE 3
extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols) {
        out[row * cols + col] = 0; //~ wrong-result: all-zero
    }
}
