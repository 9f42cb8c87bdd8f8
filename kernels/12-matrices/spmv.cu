// spmv: y = A × x, for a matrix A of which only the elements that are not zero
// are stored, row after row.
//
// columns, values: the column and the value of each stored element.
// starts: where each row begins in these two; starts[rows] is where the last
// one ends. x: 1024 floats. y: one float for each row.
//
// This kernel is right, but the lanes of a warp read in 32 different rows.

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
    int row = blockIdx.x * 256 + threadIdx.x; // most threads have none
    if (row < rows) {
        float sum = 0;
        for (int k = starts[row]; k < starts[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}
