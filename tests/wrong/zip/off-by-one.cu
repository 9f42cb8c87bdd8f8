// Adds each element of a to the one after it in b.
extern "C" __global__ void zip(const float *a, const float *b, float *out) {
    int i = threadIdx.x;
    out[i] = a[i] + b[i + 1]; //~ out-of-bounds
}
