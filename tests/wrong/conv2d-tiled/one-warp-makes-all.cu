// Right, but the first warp computes the numbers of all rows.
#define K 3
#define COLS 32
#define ROWS 8
#define TILE_COLS (COLS + K - 1)
#define TILE_ROWS (ROWS + K - 1)

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out, //~ too-much-work: global_writes_per_thread
                                  int channels, int height, int width, int features) {
    __shared__ float tile[TILE_ROWS][TILE_COLS], w[9];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * COLS + tx, t = ty * COLS + tx;
    int image = blockIdx.z / features, feature = blockIdx.z % features;
    float sum[ROWS] = {};
    for (int c = 0; c < channels; c++) {
        const float *m = in + (image * channels + c) * height * width;
        for (int k = t; k < 340; k += 256) { int r = blockIdx.y * ROWS - 1 + k / 34, q = blockIdx.x * COLS - 1 + k % 34; tile[k / 34][k % 34] = r >= 0 && r < height && q >= 0 && q < width ? m[r * width + q] : 0; }
        if (t < 9) w[t] = weights[(feature * channels + c) * 9 + t];
        __syncthreads();
        if (ty == 0)
            for (int r = 0; r < ROWS; r++) for (int k = 0; k < 9; k++) sum[r] += tile[r + k / 3][tx + k % 3] * w[k];
        __syncthreads();
    }
    if (ty == 0 && x < width) for (int r = 0; r < ROWS; r++) { int y = blockIdx.y * ROWS + r; if (y < height) out[(blockIdx.z * height + y) * width + x] = sum[r]; }
}
