// out[col] = the sum of x[k] * in[k][col], in double: nothing is rounded on the way.
extern "C" __global__ void pack(const float *in, double *packed, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        packed[i] = in[i];
    }
}

extern "C" __global__ void product(const float *x, const double *packed, float *out,
                                   int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        double sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += x[k] * packed[k * cols + col];
        }
        out[col] = (float)sum;
    }
}
