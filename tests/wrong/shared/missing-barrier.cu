// No barrier: the compiler keeps the value in the thread and never reads tile.
#define MAX_THREADS 256
extern "C" __global__ void shared(const float *in, float *out, int n) { //~ too-much-work: shared_reads
    __shared__ float tile[MAX_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = in[i];
        out[i] = tile[threadIdx.x] + 10;
    }
}
