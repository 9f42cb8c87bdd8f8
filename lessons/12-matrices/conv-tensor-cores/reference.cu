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
            int row = pixel / width % height + p / 3 - 1, col = pixel % width + p % 3 - 1;
            if (row < 0 || row >= height || col < 0 || col >= width) {
                continue;
            }
            const __half *from = in + (long long)(pixel + (p / 3 - 1) * width + p % 3 - 1) * channels;
            const __half *weight = weights + ((long long)feature * 9 + p) * channels;
            // There are a multiple of 8 channels. The product of two halves is exact in float.
            for (int c = 0; c < channels; c += 8) {
                uint4 a = *(const uint4 *)(from + c), b = *(const uint4 *)(weight + c);
                float part = 0;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    float2 x = __half22float2(((const __half2 *)&a)[k]);
                    float2 y = __half22float2(((const __half2 *)&b)[k]);
                    part += x.x * y.x + x.y * y.y;
                }
                sum += part;
            }
        }
        out[(long long)pixel * features + feature] = __float2half((float)sum);
    }
}
