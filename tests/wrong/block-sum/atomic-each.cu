// Adds each element to the result in global memory, one after the other.
extern "C" __global__ void block_sum(const float *in, float *out, int n) { //~ too-much-work: global_atomics
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        out[blockIdx.x] = 0;
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(&out[blockIdx.x], in[i]);
    }
}
