// One thread adds up the whole row.
#define MAX_THREADS 256
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) { //~ too-much-work: shared_reads_per_thread
    __shared__ float s[MAX_THREADS];
    int col = threadIdx.x;
    int row = blockIdx.y;
    if (col < cols) {
        s[col] = in[row * cols + col];
    }
    __syncthreads();
    if (col == 0) {
        float sum = 0;
        for (int k = 0; k < cols; k++) {
            sum += s[k];
        }
        out[row] = sum;
    }
}
