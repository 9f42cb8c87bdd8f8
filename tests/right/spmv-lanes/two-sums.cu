// Two sums for every other entry of a lane.
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
    int row = i / lanes, lane = i % lanes; // a warp has 32 / lanes rows at a time
    float sum = 0;
    if (row < rows) {
        int end = starts[row + 1];
        float other = 0;
        int k = starts[row] + lane;
        for (; k + lanes < end; k += 2 * lanes) {
            sum += values[k] * x[columns[k]];
            other += values[k + lanes] * x[columns[k + lanes]];
        }
        if (k < end) {
            sum += values[k] * x[columns[k]];
        }
        sum += other;
    }
    for (int d = lanes / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, d);
    }
    if (row < rows && lane == 0) {
        y[row] = sum;
    }
}
