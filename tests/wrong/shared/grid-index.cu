// Indexes tile over the whole grid: it has room for one block only.
#define MAX_THREADS 256
extern "C" __global__ void shared(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[i] = in[i]; //~ shared-out-of-bounds
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[i] + tile[i - threadIdx.x];
    }
}
