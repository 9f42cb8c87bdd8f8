// Right, but only turned round: now it is the reads that are far apart.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: load_sectors
    int in_row = blockIdx.y * 32 + threadIdx.x;
    int in_col = blockIdx.x * 32 + threadIdx.y;
    if (in_row < rows && in_col < cols) {
        out[in_col * rows + in_row] = in[in_row * cols + in_col];
    }
}
