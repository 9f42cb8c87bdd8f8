// One thread, one row after the other.

extern "C" __global__ void standardise(const float *in, float *out, int rows, int cols) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    for (int row = 0; row < rows; row++) {
        const float *from = in + row * cols;
        float *to = out + row * cols;
        float sum = 0;
        for (int col = 0; col < cols; col++) {
            sum += from[col];
        }
        float largest = 0;
        for (int col = 0; col < cols; col++) {
            to[col] = from[col] - sum / cols;
            largest = fmaxf(largest, fabsf(to[col]));
        }
        for (int col = 0; col < cols; col++) {
            to[col] = largest > 0 ? to[col] / largest : 0;
        }
    }
}
