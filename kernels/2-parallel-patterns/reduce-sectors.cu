// reduce: add up n numbers. This kernel is right, but wastes
// most of what it moves.
//
// Launched twice, with THREADS threads a block:
//   1. reduce(in, sums, n)           one block for 2048 elements, at most 64
//   2. reduce(sums, out, blocks)     one block
// So each block adds up its share of `in` and writes one sum.

#define THREADS 256 // a power of two

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;

    // Each thread adds up a run of neighbouring elements.
    int threads = gridDim.x * THREADS;
    int run = (n + threads - 1) / threads;
    int first = (blockIdx.x * THREADS + t) * run;
    float sum = 0;
    for (int k = 0; k < run; k++) {
        if (first + k < n) {
            sum += in[first + k];
        }
    }
    s[t] = sum;
    __syncthreads();

    // A tree whose steps grow: first neighbours, then neighbours of pairs.
    for (int step = 1; step < THREADS; step *= 2) {
        int k = 2 * step * t;
        if (k < THREADS) {
            s[k] += s[k + step];
        }
        __syncthreads();
    }

    if (t == 0) {
        sums[blockIdx.x] = s[0];
    }
}
