// As in dot-product: one thread adds up all the values of its block.
#define MAX_THREADS 256
extern "C" __global__ void block_sum(const float *in, float *out, int n) { //~ too-much-work: shared_reads_per_thread
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (int k = 0; k < blockDim.x; k++) {
            sum += s[k];
        }
        out[blockIdx.x] = sum;
    }
}
