// Stores by the number in the block, and reads by that in the grid.
#define MAX_THREADS 256

extern "C" __global__ void shared(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = in[i];
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[i] + tile[i - threadIdx.x]; //~ uninitialised-read
    }
}
