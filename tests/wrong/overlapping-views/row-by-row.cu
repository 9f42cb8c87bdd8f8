// Right, but a thread does a whole row and column.
extern "C" __global__ void add_transposed(float *x, int n) { //~ too-much-work: global_reads_per_thread
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (blockIdx.x == 0 && threadIdx.x == 0 && row < n) {
        for (int col = row; col < n; col++) {
            float sum = x[row * n + col] + x[col * n + row];
            x[row * n + col] = sum;
            x[col * n + row] = sum;
        }
    }
}
