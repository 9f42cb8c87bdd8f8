// Right, but a lane takes every 32nd row.
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
    int row = i;
    if (row < rows) {
        float sum = 0;
        int end = starts[row + 1];
        for (int k = starts[row]; k < end; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}
