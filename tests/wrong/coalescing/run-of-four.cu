// Right, and along the rows, but each thread has four elements in a row: from
// lane to lane it is 16 bytes.
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) { //~ too-much-work: load_sectors
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 4 * i; k < 4 * i + 4 && k < rows * cols; k++) {
        out[k] = in[k] + bias[k % cols];
    }
}
