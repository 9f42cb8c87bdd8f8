// One thread fills the tile for all.
#define MAX_THREADS 256
extern "C" __global__ void shared(const float *in, float *out, int n) { //~ too-much-work: global_reads_per_thread
    __shared__ float tile[MAX_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        for (int k = 0; k < blockDim.x && i + k < n; k++) {
            tile[k] = in[i + k];
        }
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[threadIdx.x] + tile[0];
    }
}
