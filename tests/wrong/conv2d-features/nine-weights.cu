// Fetches nine weights, as for one feature.
#define K 3
#define EACH 8
#define COLS 32
#define ROWS 8
#define TILE_COLS (COLS + K - 1)
#define TILE_ROWS (ROWS + K - 1)

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features) {
    __shared__ float tile[TILE_ROWS][TILE_COLS];
    __shared__ float w[EACH][K * K];
    int x = blockIdx.x * COLS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int t = threadIdx.y * COLS + threadIdx.x;
    int groups = (features + EACH - 1) / EACH;
    int image = blockIdx.z / groups;
    int first = blockIdx.z % groups * EACH;

    float sum[EACH] = {};
    for (int c = 0; c < channels; c++) {
        const float *matrix = in + (image * channels + c) * height * width;
        for (int k = t; k < TILE_ROWS * TILE_COLS; k += ROWS * COLS) {
            int row = blockIdx.y * ROWS - 1 + k / TILE_COLS;
            int col = blockIdx.x * COLS - 1 + k % TILE_COLS;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            tile[k / TILE_COLS][k % TILE_COLS] = inside ? matrix[row * width + col] : 0;
        }
        if (int k = t; k < K * K) {
            int feature = first + k / (K * K);
            int at = (feature * channels + c) * K * K + k % (K * K);
            w[k / (K * K)][k % (K * K)] = feature < features ? weights[at] : 0;
        }
        __syncthreads();

        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                float element = tile[threadIdx.y + i][threadIdx.x + j];
                for (int f = 0; f < EACH; f++) {
                    sum[f] += element * w[f][i * K + j]; //~ uninitialised-read
                }
            }
        }
        __syncthreads();
    }

    for (int f = 0; f < EACH; f++) {
        int feature = first + f;
        if (x < width && y < height && feature < features) {
            out[((image * features + feature) * height + y) * width + x] = sum[f];
        }
    }
}
