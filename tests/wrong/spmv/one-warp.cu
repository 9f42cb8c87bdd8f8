// Right, but one warp goes through all rows.
extern "C" __global__ void find_starts(const int *lengths, int *starts, int rows, int longest) {
    int start = 0;
    for (int row = 0; row < rows; row++) {
        starts[row] = start;
        start += lengths[row] % (longest + 1);
    }
    starts[rows] = start;
}

#define ALL_LANES 0xffffffffu

extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values, //~ too-much-work: global_reads_per_thread
                                const float *x, float *y, int rows) {
    int lane = threadIdx.x % 32;
    if (blockIdx.x > 0 || threadIdx.x >= 32) {
        return;
    }
    for (int row = 0; row < rows; row++)
    if (row < rows) {
        float sum = 0;
        int end = starts[row + 1];
        for (int k = starts[row] + lane; k < end; k += 32) {
            sum += values[k] * x[columns[k]];
        }
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_xor_sync(ALL_LANES, sum, d);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
