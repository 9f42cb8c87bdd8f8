// Two floats at once, where four go.

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
    float scale_m = scales[0], scale_v = scales[1];
    for (int h = 0; h < 2; h++) { // twice a float2 in place of a float4 //~ too-much-work: store_requests
        int q = blockIdx.x * 2 * THREADS + h * THREADS + threadIdx.x;
        int i = 2 * q;
        if (i + 1 < n) {
            float2 p2 = ((float2 *)p)[q];
            float2 m2 = ((float2 *)m)[q];
            float2 v2 = ((float2 *)v)[q];
            float2 g2 = ((const float2 *)g)[q];
            update(p2.x, m2.x, v2.x, g2.x, scale_m, scale_v);
            update(p2.y, m2.y, v2.y, g2.y, scale_m, scale_v);
            ((float2 *)p)[q] = p2;
            ((float2 *)m)[q] = m2;
            ((float2 *)v)[q] = v2;
        } else if (i < n) {
            float mean = m[i], square = v[i];
            update(p[i], mean, square, g[i], scale_m, scale_v);
            m[i] = mean;
            v[i] = square;
        }
    }
}
