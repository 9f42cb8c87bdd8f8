// conv2d: the 3×3 convolution of `conv2d` with stride 1 and padding 1, so that
// out is as high and wide as in.
//
// in: (images, channels, height, width), weights: (features, channels, K, K),
// out: (images, features, height, width).
// Blocks of COLS×ROWS (32×8) threads, enough to have a thread for each number of
// out along x and y. blockIdx.z counts images, and in each image groups of EACH
// (8) features; the last group may have fewer.
//
// This kernel is right, but makes one feature after the other, and fetches the
// same tiles for each.

#define K 3
#define EACH 8 // features for a block
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
    int groups = (features + EACH - 1) / EACH;
    int image = blockIdx.z / groups;
    int first = blockIdx.z % groups * EACH; // the block's first feature

    for (int feature = first; feature < min(features, first + EACH); feature++) {
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
            __syncthreads();

            for (int i = 0; i < K; i++) {
                for (int j = 0; j < K; j++) {
                    sum += tile[threadIdx.y + i][threadIdx.x + j] * w[i * K + j];
                }
            }
            __syncthreads();
        }
        if (x < width && y < height) {
            out[((image * features + feature) * height + y) * width + x] = sum;
        }
    }
}
