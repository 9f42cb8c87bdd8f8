// block_sum: add up the elements of each block, in a tree.
//
// As many blocks as it takes to have a thread for each of the n elements.
// blockDim.x is a power of two.
// out: one float for each block.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    // Write here what one thread does.
}
