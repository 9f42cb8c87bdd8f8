// A step of Adam, in double.
extern "C" __global__ void adam(float *p, float *m, float *v, const float *g, const float *scales,
                                int n) {
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * 1024);
         i += blockDim.x) {
        double gradient = g[i];
        double mean = 0.9 * m[i] + 0.1 * gradient;
        double square = 0.99 * v[i] + 0.01 * gradient * gradient;
        m[i] = (float)mean;
        v[i] = (float)square;
        p[i] = (float)(p[i] - 0.01 * (mean * scales[0]) / (sqrt(square * scales[1]) + 1e-8));
    }
}
