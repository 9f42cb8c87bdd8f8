// The first thread of each 32 adds up their products, and one thread the sums.
extern "C" __global__ void dot_product(const float *a, const float *b, float *out,
                                       int n) {
    __shared__ float products[256], sums[8];
    int t = threadIdx.x, warps = (n + 31) / 32;
    products[t] = t < n ? a[t] * b[t] : 0;
    __syncthreads();
    if (t < n && t % 32 == 0) {
        float sum = 0;
        for (int k = t; k < t + 32 && k < n; k++) {
            sum += products[k];
        }
        sums[t / 32] = sum;
    }
    __syncthreads();
    if (t == 0) {
        float sum = sums[0];
        for (int warp = 1; warp < warps; warp++) {
            sum += sums[warp];
        }
        *out = sum;
    }
}
