// Right, and one pass, but t is still written, though nobody reads it.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) { //~ too-much-work: store_sectors
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += step) {
        t[i] = a * x[i];
        float v = t[i] + b;
        out[i] = v > 0 ? v : 0;
    }
}
