// Takes the row from threadIdx.y, which is 0 in every block.
#define MAX_THREADS 256

extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    __shared__ float s[MAX_THREADS];
    int col = threadIdx.x;
    int row = threadIdx.y;

    s[col] = col < cols ? in[row * cols + col] : 0;
    __syncthreads();

    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (col < half) {
            s[col] += s[col + half];
        }
        __syncthreads();
    }

    if (col == 0) {
        out[row] = s[0]; //~ wrong-result: first-block-only
    }
}
