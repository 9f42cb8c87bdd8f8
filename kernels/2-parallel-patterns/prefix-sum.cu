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
    // Write here what one thread does.
}

// Adds to each element the sum of all blocks before its own.
// offsets: one float for each block, the running sum of the blocks' sums.
extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    // Write here what one thread does.
}
