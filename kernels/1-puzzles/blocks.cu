// blocks: add 10 to every element, with more than one block.
//
// As many blocks as it takes to have a thread for each of the n elements.
// The last block may have threads left over.

extern "C" __global__ void blocks(const float *in, float *out, int n) {
    // This was enough for one block. Run it, then fix the index.
    int i = threadIdx.x;
    if (i < n) {
        out[i] = in[i] + 10;
    }
}
