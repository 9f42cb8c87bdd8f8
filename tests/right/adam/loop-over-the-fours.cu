// A loop over the fours; the weights left over go to threads of the last block.
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

extern "C" __global__ void adam(float *__restrict__ p, float *__restrict__ m, float *__restrict__ v,
                                const float *__restrict__ g, const float *__restrict__ scales, int n) {
    struct alignas(16) Four { float at[4]; };
    float2 scale = *reinterpret_cast<const float2 *>(scales);
    const int quads = n / 4;
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += gridDim.x * blockDim.x) {
        Four P = reinterpret_cast<Four *>(p)[q], M = reinterpret_cast<Four *>(m)[q];
        Four V = reinterpret_cast<Four *>(v)[q], G = reinterpret_cast<const Four *>(g)[q];
#pragma unroll
        for (int k = 0; k < 4; k++) update(P.at[k], M.at[k], V.at[k], G.at[k], scale.x, scale.y);
        reinterpret_cast<Four *>(p)[q] = P;
        reinterpret_cast<Four *>(m)[q] = M;
        reinterpret_cast<Four *>(v)[q] = V;
    }
    int rest = 4 * quads + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n) {
        float P = p[rest], M = m[rest], V = v[rest];
        update(P, M, V, g[rest], scale.x, scale.y);
        p[rest] = P; m[rest] = M; v[rest] = V;
    }
}
