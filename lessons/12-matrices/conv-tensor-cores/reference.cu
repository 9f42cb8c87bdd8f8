// The convolution in double, an element of out for each thread.
#include <cuda_fp16.h>

extern "C" __global__ void conv2d(const __half *in, const __half *weights, __half *out, int images,
                                  int height, int width, int channels, int features) {
    for (int i = threadIdx.x; i < 128 * 64; i += blockDim.x) {
        int pixel = blockIdx.x * 128 + i / 64, feature = blockIdx.y * 64 + i % 64;
        if (pixel >= images * height * width) {
            continue;
        }
        double sum = 0;
        for (int p = 0; p < 9; p++) {
            int y = pixel / width % height + p / 3 - 1, x = pixel % width + p % 3 - 1;
            if (y < 0 || y >= height || x < 0 || x >= width) {
                continue;
            }
            const __half *from = in + (long long)(pixel + (p / 3 - 1) * width + p % 3 - 1) * channels;
            const __half *weight = weights + ((long long)feature * 9 + p) * channels;
            for (int c = 0; c < channels; c++) {
                sum += (double)__half2float(from[c]) * __half2float(weight[c]);
            }
        }
        out[(long long)pixel * features + feature] = __float2half((float)sum);
    }
}
