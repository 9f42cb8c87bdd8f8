// Warps without a row return; lane 0 reads where the row begins, and tells the others.
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
    if (row >= rows) {
        return;
    }
    {
        float sum = 0;
        int place = lane < 2 ? starts[row + lane] : 0;
        int first = __shfl_sync(ALL_LANES, place, 0), end = __shfl_sync(ALL_LANES, place, 1);
        for (int k = end - 1 - lane; k >= first; k -= 32) {
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
