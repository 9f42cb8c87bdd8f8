// Each lane gets the values of all others, one after the other.
extern "C" __global__ void block_sum(const float *in, float *out, int n) { //~ too-much-work: warp_instructions
    __shared__ float s[8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, warp = t / 32;
    unsigned mask = __activemask();
    float value = i < n ? in[i] : 0, sum = 0;
    for (int lane = 0; lane < 32 && lane < blockDim.x; lane++) {
        sum += __shfl_sync(mask, value, lane);
    }
    if (t % 32 == 0) {
        s[warp] = sum;
    }
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < (blockDim.x + 31) / 32; w++) {
            sum += s[w];
        }
        out[blockIdx.x] = sum;
    }
}
