// Two tiles take turns, so one barrier a round is enough; turned on filling.
#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[2][RUN];
    int t = threadIdx.x, now = 0;
    for (int first = blockIdx.x * RUN; first < n; first += gridDim.x * RUN) {
        int length = min(RUN, n - first); // elements in this run
        if (t < length) {
            tile[now][length - 1 - t] = in[first + t];
        }
        __syncthreads(); // the run is in the tile
        if (t < length) {
            out[first + t] = tile[now][t];
        }
        now = 1 - now;
    }
}
