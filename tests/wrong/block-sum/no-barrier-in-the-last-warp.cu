// Leaves out the barriers where one warp adds up.
// block_sum: add up the elements of each block, in a tree.
//
// As many blocks as it takes to have a thread for each of the n elements.
// blockDim.x is a power of two.
// out: one float for each block.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    // Zero changes no sum: with it the tree needs no guard for the last block.
    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    // Each step folds the upper half onto the lower. In one step a thread
    // below `half` writes only s[t], and reads only s[t] and an element of the
    // upper half, which nobody writes: no race inside a step.
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half]; //~ shared-race
        }
        // Between steps everyone waits. The barrier is outside the if: half
        // the threads have nothing to add, but they must arrive.
        if (half > 32) {
            __syncthreads();
        }
    }

    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
