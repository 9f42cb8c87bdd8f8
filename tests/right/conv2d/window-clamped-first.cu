// The part of the window inside is found first: the loops need no test.
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
        const float *matrix = in + (image * channels + c) * height * width;
        const float *w = weights + (feature * channels + c) * K * K;
        for (int row = max(top, 0); row < min(top + K, height); row++) {
            for (int col = max(left, 0); col < min(left + K, width); col++) {
                sum = fmaf(matrix[row * width + col], w[(row - top) * K + col - left], sum);
            }
        }
    }
    out[((image * features + feature) * out_height + y) * out_width + x] = sum;
}
