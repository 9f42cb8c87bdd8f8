// Right, but the threads of one matrix do all others, too.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) { //~ too-much-work: global_reads_per_thread
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols, col = i % cols;
    if (row < n2) {
        for (int batch = 0; batch < n0 * n1; batch++) {
            float sum = 0;
            for (int k = 0; k < inner; k++) {
                sum += x[(batch * n2 + row) * inner + k] * w[k * cols + col];
            }
            out[batch * n2 * cols + i] = sum;
        }
    }
}
