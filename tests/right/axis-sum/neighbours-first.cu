// The tree joins neighbours first, where the solution joins the halves.
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = t < cols ? in[blockIdx.y * cols + t] : 0;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0 && t + step < blockDim.x) {
            s[t] += s[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.y] = s[0];
    }
}
