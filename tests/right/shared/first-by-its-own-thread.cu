// Only the first element goes through shared memory; the others stay in registers.
extern "C" __global__ void shared(const float *in, float *out, int n) {
    __shared__ float first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? in[i] : 0;
    if (threadIdx.x == 0) {
        first = mine;
    }
    __syncthreads();
    if (i < n) {
        out[i] = mine + first;
    }
}
