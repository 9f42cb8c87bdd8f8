// One pass, but each thread waits for one number before it asks for the next.
extern "C" __global__ void scale_shift_relu(const float *x, float *t, float *u, float *out,
                                            float a, float b, int n) { //~ too-slow: share_of_copy_bandwidth
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    volatile const float *from = x;
    for (int i = first; i < n; i += step) {
        float v = a * from[i] + b;
        out[i] = v > 0 ? v : 0;
    }
}
