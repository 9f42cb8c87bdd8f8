// Right, and without t and u, but three passes as before.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) { //~ too-much-work: load_sectors
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += step) {
        out[i] = a * x[i];
    }
    for (int i = first; i < n; i += step) {
        out[i] += b;
    }
    for (int i = first; i < n; i += step) {
        out[i] = out[i] > 0 ? out[i] : 0;
    }
}
