// Threads past the last token leave before the first barrier.
#define HEAD 32
#define TILE 32
#define LOWEST -3.0e38f

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    __shared__ float keys[TILE][HEAD];
    __shared__ float values[TILE][HEAD];
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    q += blockIdx.y * n * HEAD;
    k += blockIdx.y * n * HEAD;
    v += blockIdx.y * n * HEAD;
    out += blockIdx.y * n * HEAD;

    if (i >= n) {
        return;
    }
    float query[HEAD] = {};
    float mix[HEAD] = {};
    for (int c = 0; c < HEAD && i < n; c++) {
        query[c] = q[i * HEAD + c];
    }

    float top = LOWEST, sum = 0;
    int last = min(n, (int)(blockIdx.x + 1) * 64);
    for (int start = 0; start < last; start += TILE) {
        for (int e = t; e < TILE * HEAD; e += 64) {
            int j = start + e / HEAD;
            if (j < last) {
                keys[e / HEAD][e % HEAD] = k[j * HEAD + e % HEAD];
                values[e / HEAD][e % HEAD] = v[j * HEAD + e % HEAD];
            }
        }
        __syncthreads();

        int seen = i < n ? min(TILE, i + 1 - start) : 0;
        for (int j = 0; j < seen; j++) {
            float dot = 0;
            for (int c = 0; c < HEAD; c++) {
                dot += query[c] * keys[j][c]; //~ uninitialised-read
            }
            float score = dot * rsqrtf(HEAD);
            float before = top;
            top = fmaxf(top, score);
            float factor = expf(before - top);
            float weight = expf(score - top);
            sum = sum * factor + weight;
            for (int c = 0; c < HEAD; c++) {
                mix[c] = mix[c] * factor + weight * values[j][c];
            }
        }
        __syncthreads();
    }

    for (int c = 0; c < HEAD && i < n; c++) {
        out[i * HEAD + c] = mix[c] / sum;
    }
}
