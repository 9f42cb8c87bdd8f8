// Adds each product to the result in global memory, one after the other.
extern "C" __global__ void dot_product(const float *a, const float *b, float *out, //~ too-much-work: global_atomics
                                       int n) {
    int i = threadIdx.x;
    if (i == 0) {
        out[0] = 0;
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(out, a[i] * b[i]);
    }
}
