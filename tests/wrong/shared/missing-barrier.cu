// No barrier: a thread may read tile[0] before thread 0 has stored it.
#define MAX_THREADS 256
extern "C" __global__ void shared(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = in[i];
        out[i] = tile[threadIdx.x] + tile[0]; //~ shared-race
    }
}
