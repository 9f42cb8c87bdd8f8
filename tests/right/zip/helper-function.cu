// The sum is made by a function that is called, on an index of 64 bits.
__device__ __noinline__ float add(float x, float y) {
    return x + y;
}

extern "C" __global__ void zip(const float *a, const float *b, float *out) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = add(b[i], a[i]);
}
