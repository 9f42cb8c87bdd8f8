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
    // Write here what a thread does for its number of out.
}
