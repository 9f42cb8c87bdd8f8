// Threads past the end of the run store a zero, so nothing but the reads is guarded.
#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    for (int first = blockIdx.x * RUN; first < n; first += gridDim.x * RUN) {
        int length = min(RUN, n - first); // elements in this run
        float value = 0;
        if (first + t < n) {
            value = in[first + t];
        }
        tile[t] = value;
        __syncthreads(); // the run is in the tile
        int mirror = length - 1 - t;
        if (mirror >= 0) {
            out[first + t] = tile[mirror];
        }
        __syncthreads(); // the tile is used up
    }
}
