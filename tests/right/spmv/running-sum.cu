// The lanes meet in a running sum, and lane 31 writes the row's.
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
                                const float *x, float *y, int rows) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int row = i / 32, lane = i % 32;
    if (row < rows) {
        float sum = 0;
        int end = starts[row + 1];
        for (int k = starts[row] + lane; k < end; k += 32) {
            sum += values[k] * x[columns[k]];
        }
        for (int back = 1; back < 32; back *= 2) {
            sum += __shfl_up_sync(ALL_LANES, sum, back) * (lane >= back);
        }
        if (lane == 31) {
            y[row] = sum;
        }
    }
}
