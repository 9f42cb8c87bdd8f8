// All three steps in one pass, but in another order.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += step) {
        float v = a * x[i];
        out[i] = (v > 0 ? v : 0) + b; //~ wrong-result
    }
}
