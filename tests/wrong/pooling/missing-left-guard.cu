// Threads 0 and 1 read before the beginning of tile.
#define MAX_THREADS 256
extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = threadIdx.x;
    if (i < n) {
        tile[i] = in[i];
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[i] + tile[i - 1] + tile[i - 2]; //~ shared-out-of-bounds
    }
}
