// Right, and without conflicts, since there is no shared memory: lanes read their rows.
extern "C" __global__ void row_sums(const float *in, float *out, int rows, int cols) { //~ too-much-work: load_sectors
    int row = blockIdx.x * 32 + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int c = 0; c < cols; c++) {
            sum += in[row * cols + c];
        }
        out[row] = sum;
    }
}
