// A tile of four elements.
// shared: to every element, add the first element of its block.
//
// As many blocks as it takes to have a thread for each of the n elements.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void shared(const float *in, float *out, int n) {
    // Each block has a tile of its own, so it is indexed by the thread's
    // number in the block; in and out are indexed over the whole grid.
    __shared__ float tile[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = in[i]; //~ shared-out-of-bounds
    }
    // Outside the guard: threads without an element must arrive here too.
    __syncthreads();
    if (i < n) {
        out[i] = tile[threadIdx.x] + tile[0];
    }
}
