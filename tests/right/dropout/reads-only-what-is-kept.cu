// What is dropped is not read; threads without an element return first.
__device__ unsigned draw(unsigned seed, unsigned i) {
    unsigned h = seed + i * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

extern "C" __global__ void dropout(const float *x, const unsigned *seed, unsigned char *mask,
                                   float *y, int n, int keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float value = 0;
    if (draw(seed[0], i) % 100 < keep) {
        value = x[i] * (100.0f / keep);
    }
    y[i] = value;
}

extern "C" __global__ void dropout_backward(const float *dy, const unsigned *seed,
                                            unsigned char *mask, float *dx, int n, int keep) {
    unsigned start = seed[0];
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        int place = draw(start, i) % 100;
        dx[i] = place >= keep ? 0 : 100 * dy[i] / keep;
    }
}
