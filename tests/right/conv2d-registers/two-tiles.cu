// Two tiles and two sets of weights take turns: one barrier for each channel.
#define K 3
#define COLS 32
#define ROWS 8
#define TILE_COLS (COLS + K - 1)
#define TILE_ROWS (ROWS + K - 1)
#define FEATURES 16
#define WIDTH (FEATURES + 4) // of a row of weights in shared memory: fewer bank conflicts

__device__ void fetch_tile(float (&tile)[TILE_ROWS][TILE_COLS], const float *matrix, int height,
                           int width) {
    int t = threadIdx.y * COLS + threadIdx.x;
    for (int k = t; k < TILE_ROWS * TILE_COLS; k += ROWS * COLS) {
        int row = blockIdx.y * ROWS - 1 + k / TILE_COLS;
        int col = blockIdx.x * COLS - 1 + k % TILE_COLS;
        bool inside = row >= 0 && row < height && col >= 0 && col < width;
        tile[k / TILE_COLS][k % TILE_COLS] = inside ? matrix[row * width + col] : 0;
    }
}

__device__ void fetch_weights(float (&w)[K * K][WIDTH], const float *weights, int first, int c,
                              int channels, int features) {
    int t = threadIdx.y * COLS + threadIdx.x;
    if (t < K * K * FEATURES) {
        int f = t / (K * K), k = t % (K * K);
        bool there = first + f < features;
        w[k][f] = there ? weights[((first + f) * channels + c) * K * K + k] : 0;
    }
}

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features) {
    __shared__ float tiles[2][TILE_ROWS][TILE_COLS];
    __shared__ __align__(16) float ws[2][K * K][WIDTH];
    int x = blockIdx.x * COLS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int groups = (features + FEATURES - 1) / FEATURES;
    int image = blockIdx.z / groups;
    int first = blockIdx.z % groups * FEATURES; // the group's first feature

    float sum[FEATURES] = {};
    for (int c = 0; c < channels; c++) {
        auto &tile = tiles[c % 2];
        auto &w = ws[c % 2];
        fetch_tile(tile, in + (image * channels + c) * height * width, height, width);
        fetch_weights(w, weights, first, c, channels, features);
        __syncthreads(); // the tile is full

        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                float value = tile[threadIdx.y + i][threadIdx.x + j];
                for (int f = 0; f < FEATURES; f++) {
                    sum[f] += value * w[i * K + j][f];
                }
            }
        }
    }

    for (int f = 0; f < FEATURES; f++) {
        if (first + f < features && x < width && y < height) {
            out[((image * features + first + f) * height + y) * width + x] = sum[f];
        }
    }
}
