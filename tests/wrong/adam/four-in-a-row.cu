// Right, but a thread reads its four neighbours one after the other.
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

extern "C" __global__ void adam(float *p, float *m, float *v, const float *g, //~ too-much-work: load_sectors
                                const float *scales, int n) {
    float scale_m = scales[0], scale_v = scales[1];
    int end = min(n, (int)(blockIdx.x + 1) * 1024);
    for (int i = blockIdx.x * 1024 + 4 * threadIdx.x; i < min(end, int(blockIdx.x * 1024 + 4 * threadIdx.x + 4)); i += 1) {
        float mean = m[i], square = v[i], weight = p[i];
        update(weight, mean, square, g[i], scale_m, scale_v);
        p[i] = weight;
        m[i] = mean;
        v[i] = square;
    }
}
