// conv2d: the 3×3 convolution of `conv2d`, as a matrix product:
//     weights (features, depth) × unrolled (depth, pixels), depth = channels * K * K
//
// in: (images, channels, height, width), weights: (features, channels, K, K),
// out: (images, features, out_height, out_width).
// unrolled is never built: its elements are found in `in` when a tile is filled.
// Blocks of TILE × TILE threads: threadIdx.x along pixels (all windows of all
// images), threadIdx.y along features.

#define K 3
#define TILE 16

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out, int images,
                                  int channels, int height, int width, int features,
                                  int stride, int padding) {
    __shared__ float w_tile[TILE][TILE];
    __shared__ float in_tile[TILE][TILE];
    int out_height = (height + 2 * padding - K) / stride + 1;
    int out_width = (width + 2 * padding - K) / stride + 1;
    int size = out_height * out_width; // windows in an image
    int pixels = images * size;        // columns of the second matrix
    int depth = channels * K * K;      // its rows
    int x = threadIdx.x, y = threadIdx.y;
    int pixel = blockIdx.x * TILE + x;
    int feature = blockIdx.y * TILE + y;

    float sum = 0;
    for (int start = 0; start < depth; start += TILE) {
        // weights is already stored as the first matrix.
        bool has_weight = feature < features && start + x < depth;
        w_tile[y][x] = has_weight ? weights[feature * depth + start + x] : 0;

        // The element of the second matrix in row k, column pixel.
        int k = start + y;
        float element = 0;
        // k counts the places of the window, channel after channel …
        int c = k / (K * K), i = k % (K * K) / K, j = k % K;
        // … and pixel the windows, row after row, image after image.
        int image = pixel / size;
        int row = pixel % size / out_width * stride - padding + i;
        int col = pixel % out_width * stride - padding + j;
        bool inside = row >= 0 && row < height && col >= 0 && col < width;
        if (k < depth && pixel < pixels && inside) {
            element = in[((image * channels + c) * height + row) * width + col];
        }
        in_tile[y][x] = element;
        __syncthreads();

        for (int s = 0; s < TILE; s++) {
            sum += w_tile[y][s] * in_tile[s][x];
        }
        __syncthreads();
    }

    if (feature < features && pixel < pixels) {
        int image = pixel / size;
        out[(image * features + feature) * size + pixel % size] = sum;
    }
}
