// The length in double, by thread 0 of the first launch; parts[0] hands it on.
extern "C" __global__ void square_sums(const float *g, float *parts, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += (double)g[i] * g[i];
        }
        parts[0] = (float)sqrt(sum);
    }
}

extern "C" __global__ void clip(float *g, const float *parts, float limit, int n) {
    double scale = parts[0] > limit ? (double)limit / parts[0] : 1;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        g[i] = (float)(g[i] * scale);
    }
}
