// Uses shared memory for show: what it adds comes from global memory.
#define MAX_THREADS 256
extern "C" __global__ void shared(const float *in, float *out, int n) { //~ too-much-work: global_reads_per_thread
    __shared__ float tile[MAX_THREADS];
    volatile float *shown = tile;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        shown[threadIdx.x] = 0;
    }
    __syncthreads();
    if (i < n) {
        out[i] = in[i] + in[i - threadIdx.x] + 0 * shown[threadIdx.x];
    }
}
