// Each thread keeps the nine weights in registers.
#define K 3
#define COLS 32
#define ROWS 8
#define TILE_COLS (COLS + K - 1)
#define TILE_ROWS (ROWS + K - 1)

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features) {
    __shared__ float tile[TILE_ROWS][TILE_COLS];
    __shared__ float w[K * K];
    int x = blockIdx.x * COLS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int t = threadIdx.y * COLS + threadIdx.x;
    int image = blockIdx.z / features;
    int feature = blockIdx.z % features;

    float sum = 0;
    for (int c = 0; c < channels; c++) {
        const float *matrix = in + (image * channels + c) * height * width;
        for (int k = t; k < TILE_ROWS * TILE_COLS; k += ROWS * COLS) {
            int row = blockIdx.y * ROWS - 1 + k / TILE_COLS;
            int col = blockIdx.x * COLS - 1 + k % TILE_COLS;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            tile[k / TILE_COLS][k % TILE_COLS] = inside ? matrix[row * width + col] : 0;
        }
        if (t < K * K) {
            w[t] = weights[(feature * channels + c) * K * K + t];
        }
        __syncthreads(); // the tile is full

        float mine[K * K];
        for (int k = 0; k < K * K; k++) {
            mine[k] = w[k];
        }
        const float *from = &tile[threadIdx.y][threadIdx.x];
        for (int k = 0; k < K * K; k++) {
            sum = fmaf(mine[k], from[k / K * TILE_COLS + k % K], sum);
        }
        __syncthreads(); // the tile is used up
    }

    if (x < width && y < height) {
        out[((image * features + feature) * height + y) * width + x] = sum;
    }
}
