// One block does the work of all.

static __device__ __forceinline__ void add_bias_of(const float *in, const float *bias, float *out, //~ too-much-work: global_writes_per_thread
                                    int rows, int cols, unsigned bx, unsigned by, unsigned bz) {
    int i = bx * blockDim.x + threadIdx.x;
    // The remainder changes from thread to thread, so it must be what changes
    // from one element in memory to the next: in a row-major matrix, the column.
    int row = i / cols;
    int col = i % cols;
    if (row < rows) {
        // row * cols + col is i itself: threads are dealt out in memory order.
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
}
extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    if (blockIdx.x > 0 || blockIdx.y > 0 || blockIdx.z > 0) return;
    for (unsigned bz = 0; bz < gridDim.z; bz++) for (unsigned by = 0; by < gridDim.y; by++)
        for (unsigned bx = 0; bx < gridDim.x; bx++) {
            add_bias_of(in, bias, out, rows, cols, bx, by, bz);
            __syncthreads();
        }
}
