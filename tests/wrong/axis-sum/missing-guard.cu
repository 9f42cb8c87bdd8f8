// Surplus threads read on into the next row, and past the end in the last.
#define MAX_THREADS 256
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    __shared__ float s[MAX_THREADS];
    int col = threadIdx.x;
    int row = blockIdx.y;
    s[col] = in[row * cols + col]; //~ out-of-bounds
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
