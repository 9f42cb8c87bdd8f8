// Keeps the value between the steps in an int.
extern "C" __global__ void scale_shift_relu(const float *__restrict__ x, float *t, float *u,
                                            float *__restrict__ out, float a, float b, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = first; i < n; i += step) {
        int v = a * x[i] + b;
        out[i] = v > 0 ? v : 0; //~ wrong-result: whole-numbers
    }
}
