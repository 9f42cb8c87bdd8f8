// Each thread goes on in steps of the whole grid, where the solution does one element.
// prefix-sum: out[i] = in[0] + in[1] + … + in[i], for an array of any length.
//
// Launched three times, always with THREADS threads a block:
//   1. scan_blocks(in, out, sums, n)                one block for 256 elements
//   2. scan_blocks(sums, offsets, total, blocks)    one block
//   3. add_offsets(offsets, out, n)                 one block for 256 elements

#define THREADS 256 // a power of two

// Scans each block's elements on their own, and writes each block's sum.
// in, out: n floats. sums: one float for each block.
extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums,
                                       int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    // Zeros past the end: then the last element of s is the block's sum in
    // every block, the last one too.
    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    // After the step with `back`, s[t] is the sum of the last 2 * back
    // elements up to t (fewer at the left edge, where it is finished).
    for (int back = 1; back < THREADS; back *= 2) {
        // s[t - back] is overwritten by its own thread in this same step, so
        // everybody reads first …
        float add = t >= back ? s[t - back] : 0;
        __syncthreads();
        // … then everybody writes, and waits before the next step reads.
        s[t] += add;
        __syncthreads();
    }

    for (; i < n; i += gridDim.x * blockDim.x) {
        out[i] = s[t];
    }
    if (t == THREADS - 1) {
        sums[blockIdx.x] = s[t];
    }
}

// Adds to each element the sum of all blocks before its own.
// offsets: one float for each block, the running sum of the blocks' sums.
extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    // offsets[b] includes block b itself, so block b needs the one before;
    // block 0 was right after the first launch.
    if (i < n && blockIdx.x > 0) {
        out[i] += offsets[blockIdx.x - 1];
    }
}
