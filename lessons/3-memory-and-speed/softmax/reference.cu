// out[row][c] = exp(in[row][c]) / the sum over the row, in double.
extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    if (threadIdx.x == 0) {
        double top = in[0], sum = 0;
        for (int c = 1; c < cols; c++) {
            top = fmax(top, (double)in[c]);
        }
        for (int c = 0; c < cols; c++) {
            sum += exp(in[c] - top);
        }
        for (int c = 0; c < cols; c++) {
            out[c] = (float)(exp(in[c] - top) / sum);
        }
    }
}
