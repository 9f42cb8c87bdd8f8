// Shared memory for eight threads.
// dot_product: multiply two arrays element by element and add up the products.
//
// One block, with at least one thread for each of the n elements.
// out: one float.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void dot_product(const float *a, const float *b, float *out,
                                       int n) {
    __shared__ float products[8];
    int i = threadIdx.x;
    if (i < n) {
        products[i] = a[i] * b[i]; //~ shared-out-of-bounds
    }
    // Thread 0 is about to read what all the others stored.
    __syncthreads();
    if (i == 0) {
        // Up to n, not up to the block's size: the threads past n stored
        // nothing, and shared memory does not begin as zero.
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += products[k];
        }
        out[0] = sum;
    }
}
