// b's tile is stored with rows and columns exchanged.
#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    __shared__ float a_tile[TILE * TILE];
    __shared__ float b_tile[TILE * TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int step = 0; step < (inner + TILE - 1) / TILE; step++) {
        int k = step * TILE;
        float mine_a = 0, mine_b = 0;
        if (row < rows && k + x < inner) {
            mine_a = a[row * inner + k + x];
        }
        if (col < cols && k + y < inner) {
            mine_b = b[(k + y) * cols + col];
        }
        a_tile[y * TILE + x] = mine_a;
        b_tile[x * TILE + y] = mine_b;
        __syncthreads();
        for (int j = TILE - 1; j >= 0; j--) {
            sum = fmaf(a_tile[y * TILE + j], b_tile[x * TILE + j], sum);
        }
        __syncthreads();
    }
    if (row >= rows || col >= cols) {
        return;
    }
    out[row * cols + col] = sum;
}
