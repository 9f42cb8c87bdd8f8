// The sum is a whole number.
// pooling: every element becomes the sum of the last three, itself included.
//
// One block, with at least one thread for each of the n elements.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = threadIdx.x; // one block: the same index for in, out and tile
    if (i < n) {
        tile[i] = in[i];
    }
    // tile[i - 1] and tile[i - 2] are stored by other threads: wait for them.
    __syncthreads();
    if (i < n) {
        int sum = tile[i]; //~ wrong-result
        // The first two threads have no such neighbours: a guard on the left.
        if (i >= 1) {
            sum += tile[i - 1];
        }
        if (i >= 2) {
            sum += tile[i - 2];
        }
        out[i] = sum;
    }
}
