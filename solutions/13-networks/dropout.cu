// Dropout: each element is kept with a chance of keep per cent, and is 0
// otherwise. Those kept are multiplied by 100 / keep, which keeps the mean.
//
// forwards:    y = x * 100 / keep     where kept, else 0
// backwards:   dx = dy * 100 / keep   where kept, else 0; the same elements
//
// x, y, dy, dx: n floats. seed: one number. mask: n bytes, not needed.

// Returns a number that looks random, computed from seed and i alone.
__device__ unsigned draw(unsigned seed, unsigned i) {
    unsigned h = seed + i * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

// Enough blocks of 256 threads to have one for each element.
extern "C" __global__ void dropout(const float *x, const unsigned *seed, unsigned char *mask,
                                   float *y, int n, int keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bool kept = draw(seed[0], i) % 100 < keep;
        y[i] = kept ? x[i] * (100.0f / keep) : 0;
    }
}

// A few blocks of 128 threads: each thread takes elements a whole grid apart.
extern "C" __global__ void dropout_backward(const float *dy, const unsigned *seed,
                                            unsigned char *mask, float *dx, int n, int keep) {
    unsigned start = seed[0];
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        // By a different thread than forwards, but that does not matter: what is
        // drawn depends only on the element.
        bool kept = draw(start, i) % 100 < keep;
        dx[i] = kept ? dy[i] * (100.0f / keep) : 0;
    }
}
