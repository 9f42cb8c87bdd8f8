// conv2d: slide a 3×3 window over images; a feature adds up what it sees in
// all channels, each element times a weight.
//
// in:      (images, channels, height, width)
// weights: (features, channels, K, K)
// out:     (images, features, out_height, out_width)
// Blocks of 16×8 threads, enough to have a thread for each number of out along
// x and y; blockIdx.z counts the features of image 0, then those of image 1, …

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

    // Where the window begins in the image, or outside it if there is padding.
    int top = y * stride - padding;
    int left = x * stride - padding;
    float sum = 0;
    for (int c = 0; c < channels; c++) {
        for (int i = 0; i < K; i++) {
            for (int j = 0; j < K; j++) {
                int row = top + i, col = left + j;
                // Padding counts as zero and adds nothing. A column to the left
                // of the image would be in the row above: no bound of the
                // buffer catches that, so both ends are tested.
                if (row >= 0 && row < height && col >= 0 && col < width) {
                    sum += in[((image * channels + c) * height + row) * width + col] *
                           weights[((feature * channels + c) * K + i) * K + j];
                }
            }
        }
    }
    out[((image * features + feature) * out_height + y) * out_width + x] = sum;
}
