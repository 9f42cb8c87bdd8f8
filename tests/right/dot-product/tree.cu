// A tree adds up, where the solution's first thread does it alone.
extern "C" __global__ void dot_product(const float *a, const float *b, float *out, int n) {
    __shared__ float products[256];
    int t = threadIdx.x;
    products[t] = t < n ? a[t] * b[t] : 0;
    __syncthreads();
    for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
        int half = (left + 1) / 2;
        if (t < left / 2) {
            products[t] += products[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[0] = products[0];
    }
}
