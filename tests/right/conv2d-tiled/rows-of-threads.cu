// A row of threads fetches a row of the tile, and then the two columns that are left.
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
        for (int i = threadIdx.y; i < TILE_ROWS; i += ROWS) {
            for (int j = threadIdx.x; j < TILE_COLS; j += COLS) {
                int row = blockIdx.y * ROWS - 1 + i, col = blockIdx.x * COLS - 1 + j;
                float value = 0;
                if (row >= 0 && row < height && col >= 0 && col < width) {
                    value = matrix[row * width + col];
                }
                tile[i][j] = value;
            }
        }
        if (t < K * K) {
            w[t] = weights[(feature * channels + c) * K * K + t];
        }
        __syncthreads(); // the tile is full

        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                sum += tile[threadIdx.y + i][threadIdx.x + j] * w[i * K + j];
            }
        }
        __syncthreads(); // the tile is used up
    }

    if (x < width && y < height) {
        out[((image * features + feature) * height + y) * width + x] = sum;
    }
}
