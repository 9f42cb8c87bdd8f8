// Divides by keep where nothing is kept.

// A number that looks like chance, made of seed and i alone.
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
        y[i] = kept * x[i] * (100.0f / keep); //~ wrong-result
    }
}

// A few blocks of 128 threads: the grid goes over the array in jumps.
extern "C" __global__ void dropout_backward(const float *dy, const unsigned *seed,
                                            unsigned char *mask, float *dx, int n, int keep) {
    unsigned start = seed[0];
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        // By another thread than forwards, and it does not matter: what is drawn
        // depends on the element alone.
        bool kept = draw(start, i) % 100 < keep;
        dx[i] = kept * dy[i] * (100.0f / keep);
    }
}
