// Right, but a thread in four does four numbers, and the others nothing.
#define K 3

extern "C" __global__ void conv2d(const float *in, const float *weights, float *out, //~ too-much-work: global_writes_per_thread
                                  int channels, int height, int width, int features,
                                  int stride, int padding) {
    int oh = (height + 2 * padding - K) / stride + 1, ow = (width + 2 * padding - K) / stride + 1;
    int image = blockIdx.z / features, feature = blockIdx.z % features, y = blockIdx.y * 8 + threadIdx.y;
    if (threadIdx.x % 4) return;
    for (int u = 0; u < 4; u++) {
        int x = blockIdx.x * 16 + threadIdx.x + u;
        if (x >= ow || y >= oh) return;
        float sum = 0;
        for (int c = 0; c < channels; c++) for (int k = 0; k < 9; k++) {
            int row = y * stride - padding + k / 3, col = x * stride - padding + k % 3;
            if (row >= 0 && row < height && col >= 0 && col < width) sum += in[((image * channels + c) * height + row) * width + col] * weights[(feature * channels + c) * 9 + k];
        }
        out[(blockIdx.z * oh + y) * ow + x] = sum;
    }
}
