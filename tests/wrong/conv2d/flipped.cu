// Turns the weights round, as a convolution in mathematics does.
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
    for (int c = 0; c < channels; c++) {
        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                int row = top + i, col = left + j;
                if (row >= 0 && row < height && col >= 0 && col < width) {
                    sum += in[((image * channels + c) * height + row) * width + col] *
                           weights[((feature * channels + c) * K + K - 1 - i) * K + K - 1 - j];
                }
            }
        }
    }
    out[((image * features + feature) * out_height + y) * out_width + x] = sum; //~ wrong-result
}
