// Each thread goes on in steps of the whole grid, where the solution does one element.
// blocks: add 10 to every element, with more than one block.
//
// As many blocks as it takes to have a thread for each of the n elements.
// The last block may have threads left over.

extern "C" __global__ void blocks(const float *in, float *out, int n) {
    // Skip the threads of the blocks before this one, then count inside it.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // n need not be a multiple of the block: the last block overhangs.
    for (; i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i] + 10;
    }
}
