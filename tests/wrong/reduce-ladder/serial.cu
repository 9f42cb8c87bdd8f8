// One thread of each block adds up the block's share.
extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-much-work: load_sectors
    if (threadIdx.x == 0) {
        int share = (n + gridDim.x - 1) / gridDim.x;
        float sum = 0;
        for (int i = blockIdx.x * share; i < (blockIdx.x + 1) * share && i < n; i++) {
            sum += in[i];
        }
        sums[blockIdx.x] = sum;
    }
}
