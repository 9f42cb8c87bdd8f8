// One loop over the nine weights, and one over the channels inside it.
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
    for (int k = 0; k < K * K; k++) {
        int row = top + k / K, col = left + k % K;
        if ((unsigned)row >= height || (unsigned)col >= width) {
            continue;
        }
        for (int c = 0; c < channels; c++) {
            sum += in[((image * channels + c) * height + row) * width + col] *
                   weights[(feature * channels + c) * K * K + k];
        }
    }
    out[((image * features + feature) * out_height + y) * out_width + x] = sum;
}
