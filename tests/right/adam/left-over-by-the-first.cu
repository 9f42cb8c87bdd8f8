// The weights left over go to the first threads; means move by their distance.
#define THREADS 256
#define BETA_M 0.9f
#define BETA_V 0.99f
#define RATE 0.01f
#define TINY 1e-8f

__device__ void update(float &p, float &m, float &v, float g, float scale_m, float scale_v) {
    m = fmaf(1 - BETA_M, g - m, m);
    v += (1 - BETA_V) * (g * g - v);
    float step = m * scale_m / (sqrtf(v * scale_v) + TINY);
    p = fmaf(-RATE, step, p);
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
    }
    if (q < n % 4) {
        int j = n - 1 - q;
        float weight = p[j], mean = m[j], square = v[j];
        update(weight, mean, square, g[j], scale_m, scale_v);
        p[j] = weight;
        m[j] = mean;
        v[j] = square;
    }
}
