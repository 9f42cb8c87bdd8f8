// One thread writes the whole run backwards while the others wait.
#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) { //~ too-much-work: global_writes_per_thread
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    // The loop counts runs, not elements: `first` is the same for all threads
    // of the block, so all go round equally often, and meet at each barrier.
    for (int first = blockIdx.x * RUN; first < n; first += gridDim.x * RUN) {
        int length = min(RUN, n - first); // elements in this run
        // What depends on the thread guards the work, and only the work.
        if (t < length) {
            tile[t] = in[first + t];
        }
        __syncthreads(); // the run is in the tile
        if (t == 0) {
            for (int k = 0; k < length; k++) {
                out[first + k] = tile[length - 1 - k];
            }
        }
        __syncthreads(); // the tile is used up
    }
}
