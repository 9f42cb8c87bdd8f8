// conv2d: the 3×3 convolution of `conv2d` with stride 1 and padding 1, so that
// out is as high and wide as in.
//
// in: (images, channels, height, width), weights: (features, channels, K, K),
// out: (images, features, height, width).
// Blocks of COLS×ROWS (32×8) threads, enough to have a thread for each number of
// out along x and y; blockIdx.z is image * features + feature.

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
        // 340 places and 256 threads: some fill two. Whatever lies outside the
        // image is stored as zero, so the products below need no test.
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

        // Place (1, 1) of the tile is the element of thread (0, 0), so the window
        // of a thread begins at its own number.
        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                sum += tile[threadIdx.y + i][threadIdx.x + j] * w[i * K + j];
            }
        }
        __syncthreads(); // the tile is no longer needed
    }

    // Threads outside the image helped to fill; only now may they stop.
    if (x < width && y < height) {
        out[((image * features + feature) * height + y) * width + x] = sum;
    }
}
