// Reads and writes four elements at a time; one thread has those that are left over.

// Returns a number that looks random, computed from seed and i alone.
__device__ unsigned draw(unsigned seed, unsigned i) {
    unsigned h = seed + i * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

// Elements 4 * q to 4 * q + 3.
__device__ void four(const float *in, float *out, int q, int n, unsigned seed, int keep) {
    float factor = keep > 0 ? 100.0f / keep : 0;
    int i = 4 * q;
    if (i + 3 < n) {
        float4 v = ((const float4 *)in)[q];
        v.x = draw(seed, i) % 100 < keep ? v.x * factor : 0;
        v.y = draw(seed, i + 1) % 100 < keep ? v.y * factor : 0;
        v.z = draw(seed, i + 2) % 100 < keep ? v.z * factor : 0;
        v.w = draw(seed, i + 3) % 100 < keep ? v.w * factor : 0;
        ((float4 *)out)[q] = v;
    } else {
        for (; i < n; i++) {
            out[i] = draw(seed, i) % 100 < keep ? in[i] * factor : 0;
        }
    }
}

extern "C" __global__ void dropout(const float *x, const unsigned *seed, unsigned char *mask,
                                   float *y, int n, int keep) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * q < n) {
        four(x, y, q, n, seed[0], keep);
    }
}

extern "C" __global__ void dropout_backward(const float *dy, const unsigned *seed,
                                            unsigned char *mask, float *dx, int n, int keep) {
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; 4 * q < n; q += gridDim.x * blockDim.x) {
        four(dy, dx, q, n, seed[0], keep);
    }
}
