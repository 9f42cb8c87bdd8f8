// What a worker asks of its buffers, 16 bytes at a time. `found` becomes 1 where it is so anywhere.

extern "C" __global__ void differ(const uint4 *a, const uint4 *b, unsigned long long words, unsigned *found) {
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
        uint4 x = a[i], y = b[i];
        if (x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w) *found = 1;
    }
}

// Bytes that hold the poison of the first run in one and that of the second in the other.
extern "C" __global__ void untouched(const uint4 *a, const uint4 *b, unsigned long long words, unsigned *found,
                                     unsigned first, unsigned second) {
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
        uint4 x = a[i], y = b[i];
        unsigned any = __vcmpeq4(x.x, first) & __vcmpeq4(y.x, second);
        any |= __vcmpeq4(x.y, first) & __vcmpeq4(y.y, second);
        any |= __vcmpeq4(x.z, first) & __vcmpeq4(y.z, second);
        any |= __vcmpeq4(x.w, first) & __vcmpeq4(y.w, second);
        if (any) *found = 1;
    }
}
