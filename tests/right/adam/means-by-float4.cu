// A helper makes the means of a whole float4.
#define THREADS 256
#define BETA_M 0.9f
#define BETA_V 0.99f
#define RATE 0.01f
#define TINY 1e-8f

__device__ void update(float &p, float &m, float &v, float g, float scale_m, float scale_v) {
    m = BETA_M * m + (1 - BETA_M) * g;
    v = BETA_V * v + (1 - BETA_V) * g * g;
    p -= RATE * (m * scale_m) / (sqrtf(v * scale_v) + TINY);
}

__device__ float4 mixed(float4 old, float4 fresh, float keep) {
    return make_float4(keep * old.x + (1 - keep) * fresh.x, keep * old.y + (1 - keep) * fresh.y,
                       keep * old.z + (1 - keep) * fresh.z, keep * old.w + (1 - keep) * fresh.w);
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
        m4 = mixed(m4, g4, BETA_M);
        v4 = mixed(v4, make_float4(g4.x * g4.x, g4.y * g4.y, g4.z * g4.z, g4.w * g4.w), BETA_V);
        p4.x -= RATE * (m4.x * scale_m) / (sqrtf(v4.x * scale_v) + TINY);
        p4.y -= RATE * (m4.y * scale_m) / (sqrtf(v4.y * scale_v) + TINY);
        p4.z -= RATE * (m4.z * scale_m) / (sqrtf(v4.z * scale_v) + TINY);
        p4.w -= RATE * (m4.w * scale_m) / (sqrtf(v4.w * scale_v) + TINY);
        ((float4 *)p)[q] = p4;
        ((float4 *)m)[q] = m4;
        ((float4 *)v)[q] = v4;
    } else {
        for (; i < n; i++) {
            float mean = m[i], square = v[i];
            update(p[i], mean, square, g[i], scale_m, scale_v);
            m[i] = mean;
            v[i] = square;
        }
    }
}
