// axis_sum: add up each row of a matrix, in a tree.
//
// in: (rows, cols), row-major. out: one float for each row.
// A grid of 1 × rows blocks: one block for each row.
// blockDim.x is a power of two and at least cols.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    __shared__ float s[MAX_THREADS];
    int col = threadIdx.x;
    int row = blockIdx.y; // as many blocks as rows: no guard on row

    // A row is shorter than its block. Without this guard the surplus threads
    // would read on into the next row, which is a valid address: the sum
    // would be wrong, and nothing would warn you.
    s[col] = col < cols ? in[row * cols + col] : 0;
    __syncthreads();

    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (col < half) {
            s[col] += s[col + half];
        }
        __syncthreads();
    }

    if (col == 0) {
        out[row] = s[0];
    }
}
