// conv2d: the 3×3 convolution of `conv2d` with stride 1 and padding 1, so that
// out is as high and wide as in.
//
// in: (images, channels, height, width), weights: (features, channels, K, K),
// out: (images, features, height, width).
// Blocks of COLS×ROWS (32×8) threads, enough to have a thread for each number of
// out along x and y; blockIdx.z is image * features + feature.
//
// This kernel is right, but fetches each element from global memory again for each of
// the nine windows that contain it.

#define K 3
#define COLS 32
#define ROWS 8
#define TILE_COLS (COLS + K - 1)
#define TILE_ROWS (ROWS + K - 1)

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features) {
    int x = blockIdx.x * COLS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int image = blockIdx.z / features;
    int feature = blockIdx.z % features;
    if (x >= width || y >= height) {
        return;
    }

    float sum = 0;
    for (int c = 0; c < channels; c++) {
        // From here on, matrix[row * width + col] is an element of this channel.
        const float *matrix = in + (image * channels + c) * height * width;
        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                int row = y - 1 + i, col = x - 1 + j;
                if (row >= 0 && row < height && col >= 0 && col < width) {
                    sum += matrix[row * width + col] *
                           weights[((feature * channels + c) * K + i) * K + j];
                }
            }
        }
    }
    out[((image * features + feature) * height + y) * width + x] = sum;
}
