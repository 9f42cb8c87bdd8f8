// out[row][c] = (in[row][c] - mean) / sqrt(variance + 1e-5) * gain[c] + bias[c], in double.
extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) {
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    if (threadIdx.x == 0) {
        double mean = 0, variance = 0;
        for (int c = 0; c < cols; c++) {
            mean += in[c];
        }
        mean /= cols;
        for (int c = 0; c < cols; c++) {
            variance += (in[c] - mean) * (in[c] - mean);
        }
        variance /= cols;
        for (int c = 0; c < cols; c++) {
            out[c] = (float)((in[c] - mean) / sqrt(variance + 1e-5) * gain[c] + bias[c]);
        }
    }
}
