#define MAX_THREADS 256

extern "C" __global__ void shared(const float *in, float *out, int n) {
    float tile[MAX_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = in[i];
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[threadIdx.x] + tile[0];
    }
}
