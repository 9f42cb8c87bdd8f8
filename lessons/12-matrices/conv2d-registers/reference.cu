// The 3×3 convolution, element by element, added up in double.
extern "C" __global__ void conv2d(const float *in, const float *weights, float *out,
                                  int channels, int height, int width, int features) {
    int groups = (features + 15) / 16, image = blockIdx.z / groups;
    int first = blockIdx.z % groups * 16;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    for (int feature = first; feature < min(first + 16, features); feature++) {
        double sum = 0;
        for (int c = 0; c < channels; c++) {
            for (int i = -1; i <= 1; i++) {
                for (int j = -1; j <= 1; j++) {
                    if (y + i >= 0 && y + i < height && x + j >= 0 && x + j < width) {
                        sum += (double)in[((image * channels + c) * height + y + i) * width + x + j] *
                               weights[((feature * channels + c) * 3 + i + 1) * 3 + j + 1];
                    }
                }
            }
        }
        out[((image * features + feature) * height + y) * width + x] = (float)sum;
    }
}
