// Right, but each lane takes a stretch of the row.
extern "C" __global__ void find_starts(const int *lengths, int *starts, int rows, int longest) {
    int start = 0;
    for (int row = 0; row < rows; row++) {
        starts[row] = start;
        start += lengths[row] % (longest + 1);
    }
    starts[rows] = start;
}

#define ALL_LANES 0xffffffffu

extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values, //~ too-much-work: load_sectors
                                const float *x, float *y, int rows) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int row = i / 32, lane = i % 32;
    if (row < rows) {
        float sum = 0;
        int end = starts[row + 1];
        int each = (end - starts[row] + 31) / 32, first = starts[row] + lane * each;
        for (int k = first; k < min(first + each, end); k++) {
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
