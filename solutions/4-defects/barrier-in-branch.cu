// reverse: reverse each run of RUN elements; the last run may be shorter.
//
// in, out: n floats. A block has RUN threads, and takes every gridDim.x-th
// run, through shared memory.

#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    // The loop counts runs, not elements: `first` is the same for all threads
    // of the block, so all run it equally often, and meet at each barrier.
    for (int first = blockIdx.x * RUN; first < n; first += gridDim.x * RUN) {
        int length = min(RUN, n - first); // elements in this run
        // What depends on the thread guards the work, and only the work.
        if (t < length) {
            tile[t] = in[first + t];
        }
        __syncthreads(); // the run is in the tile
        if (t < length) {
            out[first + t] = tile[length - 1 - t];
        }
        __syncthreads(); // the tile is used up
    }
}
