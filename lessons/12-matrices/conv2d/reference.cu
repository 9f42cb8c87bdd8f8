// The 3×3 convolution, element by element, added up in double.
extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features,
                                  int stride, int padding) {
    int out_height = (height + 2 * padding - 3) / stride + 1;
    int out_width = (width + 2 * padding - 3) / stride + 1;
    int image = blockIdx.z / features, feature = blockIdx.z % features;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out_width || y >= out_height) {
        return;
    }
    double sum = 0;
    for (int c = 0; c < channels; c++) {
        for (int i = 0; i < 3; i++) {
            int row = y * stride - padding + i;
            for (int j = 0; j < 3 && row >= 0 && row < height; j++) {
                int col = x * stride - padding + j;
                if (col >= 0 && col < width) {
                    sum += (double)in[((image * channels + c) * height + row) * width + col] *
                           weights[((feature * channels + c) * 3 + i) * 3 + j];
                }
            }
        }
    }
    out[((image * features + feature) * out_height + y) * out_width + x] = (float)sum;
}
