// spmv: y = A × x, for a matrix A of which only the elements that are not zero
// are stored, row after row.
//
// columns, values: the column and the value of each stored element.
// starts: where each row begins in these two; starts[rows] is where the last
// one ends. x: 1024 floats. y: one float for each row.

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

// Blocks of 256 threads, 32 threads for each row.
extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int rows) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int row = i / 32, lane = i % 32;
    // The whole warp has one row: either all of its lanes are inside, or none.
    if (row < rows) {
        // Lanes side by side read elements side by side. Which element of x each
        // needs depends on the matrix.
        float sum = 0;
        int end = starts[row + 1];
        for (int k = starts[row] + lane; k < end; k += 32) {
            sum += values[k] * x[columns[k]];
        }
        // After the loop all lanes are together again, even those that had no
        // element.
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_xor_sync(ALL_LANES, sum, d);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
