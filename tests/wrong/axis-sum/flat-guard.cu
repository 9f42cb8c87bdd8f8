// Guards the flat index: surplus threads add elements of the next row.
#define MAX_THREADS 256
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    __shared__ float s[MAX_THREADS];
    int col = threadIdx.x;
    int row = blockIdx.y;
    int i = row * cols + col;
    s[col] = i < rows * cols ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (col < half) {
            s[col] += s[col + half];
        }
        __syncthreads();
    }
    if (col == 0) {
        out[row] = s[0]; //~ wrong-result
    }
}
