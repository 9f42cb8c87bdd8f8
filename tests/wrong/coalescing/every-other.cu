// Right, but even elements first, then the odd ones: each sector is sent twice.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) { //~ too-much-work: store_sectors
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = (rows * cols + 1) / 2;
    int k = i < half ? 2 * i : 2 * (i - half) + 1;
    if (k < rows * cols) {
        out[k] = in[k] + bias[k % cols];
    }
}
