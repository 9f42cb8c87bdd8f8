// From the thread's own key back to the first; the query is scaled beforehand.
#define HEAD 32
#define LOWEST -3.0e38f // below every score

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // which token
    q += blockIdx.y * n * HEAD;
    k += blockIdx.y * n * HEAD;
    v += blockIdx.y * n * HEAD;
    out += blockIdx.y * n * HEAD;
    if (i >= n) {
        return;
    }

    float query[HEAD];
    float mix[HEAD] = {}; // the values so far, each times its weight
    for (int c = 0; c < HEAD; c++) {
        query[c] = q[i * HEAD + c] * rsqrtf(HEAD);
    }

    float top = LOWEST, sum = 0; // the largest score so far, and the sum of weights
    for (int j = i; j >= 0; j--) {
        float dot = 0;
        for (int c = 0; c < HEAD; c++) {
            dot += query[c] * k[j * HEAD + c];
        }
        float score = dot;

        float before = top;
        top = fmaxf(top, score);
        float factor = expf(before - top);
        float weight = expf(score - top);
        sum = sum * factor + weight;
        for (int c = 0; c < HEAD; c++) {
            mix[c] = mix[c] * factor + weight * v[j * HEAD + c];
        }
    }

    for (int c = 0; c < HEAD; c++) {
        out[i * HEAD + c] = mix[c] / sum;
    }
}
