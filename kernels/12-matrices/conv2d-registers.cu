// conv2d: the 3×3 convolution of `conv2d-tiled`, FEATURES of them in one block.
//
// in: (images, channels, height, width), weights: (features, channels, K, K),
// out: (images, features, height, width).
// Blocks of COLS×ROWS (32×8) threads, enough to have a thread for each place of
// an image; blockIdx.z is image * groups + group, where FEATURES features are a
// group. The last group may have fewer.
//
// This kernel is right, but computes one feature after the other, and fetches
// everything again for each.

#define K 3
#define COLS 32
#define ROWS 8
#define TILE_COLS (COLS + K - 1)
#define TILE_ROWS (ROWS + K - 1)
#define FEATURES 16
#define WIDTH (FEATURES + 4) // of a row of weights in shared memory: fewer bank conflicts

// Fetches one channel's tile, with its rim; zeros outside the image. matrix: the
// channel's first element.
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

// Fetches channel c's weights of the group whose first feature is `first`: w[k] has
// weight k of the window, of all features side by side; zeros past the last.
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
    __shared__ float tile[TILE_ROWS][TILE_COLS];
    __shared__ __align__(16) float w[K * K][WIDTH];
    int x = blockIdx.x * COLS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int groups = (features + FEATURES - 1) / FEATURES;
    int image = blockIdx.z / groups;
    int first = blockIdx.z % groups * FEATURES; // the group's first feature

    for (int f = 0; f < FEATURES && first + f < features; f++) {
        float sum = 0;
        for (int c = 0; c < channels; c++) {
            fetch_tile(tile, in + (image * channels + c) * height * width, height, width);
            fetch_weights(w, weights, first, c, channels, features);
            __syncthreads(); // the tile is full

            for (int i = 0; i < K; i++) {
                for (int j = 0; j < K; j++) {
                    sum += tile[threadIdx.y + i][threadIdx.x + j] * w[i * K + j][f];
                }
            }
            __syncthreads(); // the tile is no longer needed
        }

        if (x < width && y < height) {
            out[((image * features + first + f) * height + y) * width + x] = sum;
        }
    }
}
