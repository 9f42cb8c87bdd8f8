// The number of lanes is a power of two: shifts in place of divisions.
extern "C" __global__ void find_starts(const int *lengths, int *starts, int rows, int longest) {
    int start = 0;
    for (int row = 0; row < rows; row++) {
        starts[row] = start;
        start += lengths[row] % (longest + 1);
    }
    starts[rows] = start;
}

#define ALL_LANES 0xffffffffu

extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int rows, int lanes) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int shift = __ffs(lanes) - 1, row = i >> shift, lane = i & (lanes - 1);
    float sum = 0;
    if (row < rows) {
        int end = starts[row + 1];
        for (int k = starts[row] + lane; k < end; k += lanes) {
            sum += values[k] * x[columns[k]];
        }
    }
    for (int d = 1; d < lanes; d *= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, d);
    }
    if (row < rows && lane == 0) {
        y[row] = sum;
    }
}
