// Right, but only the first two steps share a pass.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) { //~ too-much-work: store_sectors
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += step) {
        u[i] = a * x[i] + b;
    }
    for (int i = first; i < n; i += step) {
        out[i] = u[i] > 0 ? u[i] : 0;
    }
}
