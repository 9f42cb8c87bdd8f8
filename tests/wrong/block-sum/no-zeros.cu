// Threads past the end store nothing, but the tree adds their places too.
#define MAX_THREADS 256
extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i < n) {
        s[t] = in[i];
    }
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half]; //~ uninitialised-read
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
