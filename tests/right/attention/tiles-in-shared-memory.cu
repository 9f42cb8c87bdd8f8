// A block fetches 64 keys and values at a time into shared memory; powers of two.
#define HEAD 32
extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    __shared__ float ks[64][HEAD], vs[64][HEAD];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    const long long head = (long long)blockIdx.y * n * HEAD;
    float query[HEAD], mix[HEAD];
    for (int c = 0; c < HEAD; c++) { query[c] = i < n ? q[head + i * HEAD + c] * (rsqrtf(HEAD) * 1.4426950408889634f) : 0; mix[c] = 0; }
    float top = -3e38f, sum = 0;
    for (int tile = 0; tile <= blockIdx.x; tile++) {
        __syncthreads();
        for (int e = t; e < 64 * HEAD; e += 64) {
            int j = tile * 64 + e / HEAD;
            ks[e / HEAD][e % HEAD] = j < n ? k[head + tile * 64 * HEAD + e] : 0;
            vs[e / HEAD][e % HEAD] = j < n ? v[head + tile * 64 * HEAD + e] : 0;
        }
        __syncthreads();
        for (int j = 0; j < 64 && tile * 64 + j <= i; j++) {
            float score = 0;
            for (int c = 0; c < HEAD; c++) score += query[c] * ks[j][c];
            float before = top;
            top = fmaxf(top, score);
            float f = exp2f(before - top), w = exp2f(score - top);
            sum = sum * f + w;
            for (int c = 0; c < HEAD; c++) mix[c] = mix[c] * f + w * vs[j][c];
        }
    }
    if (i < n) for (int c = 0; c < HEAD; c++) out[head + i * HEAD + c] = mix[c] / sum;
}
