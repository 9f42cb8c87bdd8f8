// A thread does its first element only: the grid is smaller than the array.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = a * x[i] + b;
        out[i] = v > 0 ? v : 0; //~ wrong-result: partly-written
    }
}
