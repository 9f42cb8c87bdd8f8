// The four are an array of floats each, and a loop goes over them.
#define THREADS 256
#define BETA_M 0.9f
#define BETA_V 0.99f
#define RATE 0.01f
#define TINY 1e-8f

struct alignas(16) Four {
    float at[4];
};

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
        Four p4 = *(Four *)(p + i), m4 = *(Four *)(m + i), v4 = *(Four *)(v + i);
        Four g4 = *(const Four *)(g + i);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            update(p4.at[k], m4.at[k], v4.at[k], g4.at[k], scale_m, scale_v);
        }
        *(Four *)(m + i) = m4;
        *(Four *)(v + i) = v4;
        *(Four *)(p + i) = p4;
        return;
    }
    while (i < n) {
        update(p[i], m[i], v[i], g[i], scale_m, scale_v);
        i++;
    }
}
