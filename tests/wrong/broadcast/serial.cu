// The first thread of each row does the whole row.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out, //~ too-much-work: global_reads_per_thread
                                     int rows, int cols) {
    int row = threadIdx.y;
    if (row < rows && threadIdx.x == 0) {
        for (int col = 0; col < cols; col++) {
            out[row * cols + col] = a[row] + b[col];
        }
    }
}
