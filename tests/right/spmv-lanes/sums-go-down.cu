// The lanes of a row meet downwards, in a width of their own.
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
    int k = row < rows ? starts[row] + lane : 0, end = row < rows ? starts[row + 1] : 0;
    while (k < end) {
        sum = fmaf(x[columns[k]], values[k], sum);
        k += lanes;
    }
    for (int d = lanes / 2; d > 0; d /= 2) {
        sum += __shfl_down_sync(ALL_LANES, sum, d, lanes);
    }
    if (row < rows && lane == 0) {
        y[row] = sum;
    }
}
