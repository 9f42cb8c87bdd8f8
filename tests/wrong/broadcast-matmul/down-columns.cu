// Deals the elements out down the columns, and stores them along the rows.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = n0 * n1 * n2;
    int row = i % rows, col = i / rows;
    if (col < cols) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += x[row * inner + k] * w[k * cols + col];
        }
        out[i] = sum; //~ wrong-result
    }
}
