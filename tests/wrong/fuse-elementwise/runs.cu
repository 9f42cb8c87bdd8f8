// Right, and one pass, but each thread has a run of its own.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) { //~ too-much-work: load_sectors
    int threads = gridDim.x * blockDim.x;
    int run = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * run;
    for (int i = first; i < first + run && i < n; i++) {
        float v = a * x[i] + b;
        out[i] = v > 0 ? v : 0;
    }
}
