// One thread of each block does the block's nine elements.
#define TILE 3
extern "C" __global__ void matmul(const float *a, const float *b, float *out, //~ too-much-work: global_reads_per_thread
                                  int rows, int inner, int cols) {
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int row = blockIdx.y * TILE; row < (blockIdx.y + 1) * TILE && row < rows; row++) {
            for (int col = blockIdx.x * TILE; col < (blockIdx.x + 1) * TILE && col < cols; col++) {
                float sum = 0;
                for (int k = 0; k < inner; k++) {
                    sum += a[row * inner + k] * b[k * cols + col];
                }
                out[row * cols + col] = sum;
            }
        }
    }
}
