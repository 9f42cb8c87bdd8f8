// Rows outside are skipped; columns outside count as zeros.
#define K 3

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features,
                                  int stride, int padding) {
    int out_height = (height + 2 * padding - K) / stride + 1;
    int out_width = (width + 2 * padding - K) / stride + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int image = blockIdx.z / features;
    int feature = blockIdx.z % features;
    if (x >= out_width || y >= out_height) {
        return;
    }

    int top = y * stride - padding;
    int left = x * stride - padding;
    float sum = 0;
    const float *matrix = in + image * channels * height * width;
    const float *w = weights + feature * channels * K * K;
    for (int c = 0; c < channels; c++, matrix += height * width, w += K * K) {
        for (int i = 0; i < K; i++) {
            int row = top + i;
            if (row < 0 || row >= height) {
                continue;
            }
            const float *line = matrix + row * width;
            for (int j = 0; j < K; j++) {
                int col = left + j;
                float value = col >= 0 && col < width ? line[col] : 0;
                sum += value * w[i * K + j];
            }
        }
    }
    out[((image * features + feature) * out_height + y) * out_width + x] = sum;
}
