// adam: one step of the optimiser Adam, for each of n weights.
//
//     m = BETA_M * m + (1 - BETA_M) * g           the mean of the gradients
//     v = BETA_V * v + (1 - BETA_V) * g * g       the mean of their squares
//     p = p - RATE * (m * scales[0]) / (sqrt(v * scales[1]) + TINY)
//
// p, m, v, g: n floats each. scales: two floats, the same for all weights.
// Blocks of THREADS threads, one block for 1024 weights.

#define THREADS 256
#define BETA_M 0.9f
#define BETA_V 0.99f
#define RATE 0.01f
#define TINY 1e-8f

// One weight: all five steps, in variables of the thread.
__device__ void update(float &p, float &m, float &v, float g, float scale_m, float scale_v) {
    m = BETA_M * m + (1 - BETA_M) * g;
    v = BETA_V * v + (1 - BETA_V) * g * g;
    p -= RATE * (m * scale_m) / (sqrtf(v * scale_v) + TINY);
}

extern "C" __global__ void adam(float *p, float *m, float *v, const float *g,
                                const float *scales, int n) {
    int q = blockIdx.x * THREADS + threadIdx.x; // which four
    int i = 4 * q;                              // the first of them
    float scale_m = scales[0], scale_v = scales[1];
    if (i + 3 < n) {
        float4 p4 = ((float4 *)p)[q];
        float4 m4 = ((float4 *)m)[q];
        float4 v4 = ((float4 *)v)[q];
        float4 g4 = ((const float4 *)g)[q];
        update(p4.x, m4.x, v4.x, g4.x, scale_m, scale_v);
        update(p4.y, m4.y, v4.y, g4.y, scale_m, scale_v);
        update(p4.z, m4.z, v4.z, g4.z, scale_m, scale_v);
        update(p4.w, m4.w, v4.w, g4.w, scale_m, scale_v);
        ((float4 *)p)[q] = p4;
        ((float4 *)m)[q] = m4;
        ((float4 *)v)[q] = v4;
    } else {
        // At most one thread of the grid has anything to do here.
        for (; i < n; i++) {
            float mean = m[i], square = v[i];
            update(p[i], mean, square, g[i], scale_m, scale_v);
            m[i] = mean;
            v[i] = square;
        }
    }
}
