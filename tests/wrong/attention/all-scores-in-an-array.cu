// Keeps all scores of a token in an array, which has room for 80.

#define HEAD 32
#define LOWEST -3.0e38f // below every score

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // which token
    // From here on, q[i * HEAD + c] and so on are of this head.
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
        query[c] = q[i * HEAD + c];
    }

    // All scores first, in an array of the thread; then softmax; then the mixture.
    float score[80];
    float top = LOWEST, sum = 0;
    for (int j = 0; j <= i; j++) {
        float dot = 0;
        for (int c = 0; c < HEAD; c++) {
            dot += query[c] * k[j * HEAD + c];
        }
        score[j] = dot * rsqrtf(HEAD); //~ local-out-of-bounds
        top = fmaxf(top, score[j]);
    }
    for (int j = 0; j <= i; j++) {
        score[j] = expf(score[j] - top);
        sum += score[j];
    }
    for (int j = 0; j <= i; j++) {
        for (int c = 0; c < HEAD; c++) {
            mix[c] += score[j] * v[j * HEAD + c];
        }
    }
    for (int c = 0; c < HEAD; c++) {
        out[i * HEAD + c] = mix[c] / sum;
    }
}
