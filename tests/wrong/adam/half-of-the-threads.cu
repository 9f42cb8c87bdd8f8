// Right, but half of the threads do two fours each, and the others nothing.
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

extern "C" __global__ void adam(float *p, float *m, float *v, const float *g, //~ too-much-work: global_writes_per_thread
                                const float *scales, int n) {
    float scale_m = scales[0], scale_v = scales[1];
    if (threadIdx.x >= 128) return;
    for (int h = 0; h < 2; h++) {
    int q = blockIdx.x * THREADS + threadIdx.x + 128 * h, i = 4 * q;
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
        for (; i < n; i++) update(p[i], m[i], v[i], g[i], scale_m, scale_v);
    } }
}
