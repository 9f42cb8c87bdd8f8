// Surplus threads return first; the index counts in 64 bits.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x;
    if (i >= n) {
        return;
    }
    const float *from = in + i;
    out[i] = 10 + *from;
}
