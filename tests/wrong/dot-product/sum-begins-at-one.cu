// The sum begins at 1.
#define MAX_THREADS 256
extern "C" __global__ void dot_product(const float *a, const float *b, float *out,
                                       int n) {
    __shared__ float products[MAX_THREADS];
    int i = threadIdx.x;
    if (i < n) {
        products[i] = a[i] * b[i];
    }
    __syncthreads();
    if (i == 0) {
        float sum = 1;
        for (int k = 0; k < n; k++) {
            sum += products[k];
        }
        out[0] = sum; //~ wrong-result: offset
    }
}
