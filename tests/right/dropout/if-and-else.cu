// Kept elements are stored in one branch and zeros in the other, so a warp stores to the same sectors twice.
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
        if (draw(seed[0], i) % 100 < keep) {
            y[i] = x[i] * (100.0f / keep);
        } else {
            y[i] = 0;
        }
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
        if (draw(start, i) % 100 < keep) {
            dx[i] = dy[i] * (100.0f / keep);
        } else {
            dx[i] = 0;
        }
    }
}
