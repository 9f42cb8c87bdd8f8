// The first thread stores its element once for each warp of the block.
extern "C" __global__ void shared(const float *in, float *out, int n) {
    __shared__ float first[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = i < n;
    float value = mine ? in[i] : 0;
    if (threadIdx.x == 0) {
        for (int warp = 0; warp * 32 < blockDim.x; warp++) {
            first[warp] = value;
        }
    }
    __syncthreads();
    if (mine) {
        out[i] = first[threadIdx.x / 32] + value;
    }
}
