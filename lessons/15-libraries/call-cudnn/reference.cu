// What convolve() should do, in one kernel.

__global__ void all(const float *x, const float *w, float *y, int channels, int height, int width,
                    int filters, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) {
        return;
    }
    int col = at % width, row = at / width % height, f = at / width / height % filters;
    int image = at / width / height / filters;
    double sum = 0;
    for (int c = 0; c < channels; c++) {
        for (int r = 0; r < 3; r++) {
            for (int s = 0; s < 3; s++) {
                int i = row + r - 1, j = col + s - 1;
                if (i >= 0 && i < height && j >= 0 && j < width) {
                    sum += (double)x[((image * channels + c) * height + i) * width + j] *
                           w[((f * channels + c) * 3 + r) * 3 + s];
                }
            }
        }
    }
    y[at] = sum;
}

void convolve(const float *x, const float *w, float *y, int batch, int channels, int height,
              int width, int filters) {
    int count = batch * filters * height * width;
    all<<<(count + 255) / 256, 256>>>(x, w, y, channels, height, width, filters, count);
    cudaGetLastError();
}
