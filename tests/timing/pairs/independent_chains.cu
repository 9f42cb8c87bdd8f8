//! Multiply-adds in one chain, and as many in four, with one warp on each scheduler.
//! floats: 16384 1 16384
//! slow: grid 40 1 block 128 1
//! fast: grid 40 1 block 128 1
//! n: 16384

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 4096; k++) x = x * 0.999f + 0.001f;
    c[i] = x;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < 1024; k++) {
        x = x * 0.999f + 0.001f;
        y = y * 0.999f + 0.001f;
        z = z * 0.999f + 0.001f;
        w = w * 0.999f + 0.001f;
    }
    c[i] = x + y + z + w;
}
