// All threads add to one place in shared memory, one after the other.
extern "C" __global__ void block_sum(const float *in, float *out, int n) { //~ too-much-work: shared_atomics
    __shared__ float sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(&sum, in[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
