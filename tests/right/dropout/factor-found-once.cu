// A factor of 0 or 100 / keep is multiplied in.
__device__ unsigned draw(unsigned seed, unsigned i) {
    unsigned h = seed + i * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

extern "C" __global__ void dropout(const float *x, const unsigned *seed, unsigned char *mask,
                                   float *y, int n, int keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float factor = 0;
        if (draw(*seed, i) % 100 < keep) {
            factor = 100.0f / keep;
        }
        y[i] = x[i] * factor;
    }
}

extern "C" __global__ void dropout_backward(const float *dy, const unsigned *seed,
                                            unsigned char *mask, float *dx, int n, int keep) {
    unsigned start = *seed;
    float factors[2] = {0, 100.0f / keep};
    int part = (n + gridDim.x - 1) / gridDim.x;
    part = (part + 31) / 32 * 32;
    int end = min(n, (int)(blockIdx.x + 1) * part);
    for (int i = blockIdx.x * part + threadIdx.x; i < end; i += blockDim.x) {
        dx[i] = dy[i] * factors[draw(start, i) % 100 < keep];
    }
}
