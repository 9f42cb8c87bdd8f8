// spmv: y = A × x, for a matrix A of which only the elements that are not zero
// are stored, row after row.
//
// columns, values: the column and the value of each stored element.
// starts: where each row begins in these two; starts[rows] is where the last
// one ends. x: 1024 floats. y: one float for each row.
//
// This kernel is right, but takes 32 lanes for each row, however short.

// The rows get random lengths, from 0 to longest. One thread computes starts from
// them. Leave it as it is: `prefix-sum` shows how many threads would do it.
extern "C" __global__ void find_starts(const int *lengths, int *starts, int rows, int longest) {
    int start = 0;
    for (int row = 0; row < rows; row++) {
        starts[row] = start;
        start += lengths[row] % (longest + 1);
    }
    starts[rows] = start;
}

#define ALL_LANES 0xffffffffu

// Blocks of 256 threads, `lanes` threads for each row: 1, 2, 4, 8, 16 or 32, about as
// many as a row has elements.
extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int rows, int lanes) {
    int warps = gridDim.x * 8, lane = threadIdx.x % 32;
    // A warp has several rows, one after the other.
    for (int row = blockIdx.x * 8 + threadIdx.x / 32; row < rows; row += warps) {
        float sum = 0;
        for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) {
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
