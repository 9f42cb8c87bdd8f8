// Keeps the value in between in the input.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    float *own = (float *)x;
    for (int i = first; i < n; i += step) {
        own[i] = a * x[i] + b; //~ read-only-write
        out[i] = own[i] > 0 ? own[i] : 0;
    }
}
