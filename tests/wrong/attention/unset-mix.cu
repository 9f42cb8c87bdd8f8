// Adds to a mixture that never had a value.
#define HEAD 32
#define LOWEST -3.0e38f

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q += blockIdx.y * n * HEAD;
    k += blockIdx.y * n * HEAD;
    v += blockIdx.y * n * HEAD;
    out += blockIdx.y * n * HEAD;
    if (i >= n) {
        return;
    }

    float query[HEAD];
    float mix[HEAD];
    for (int c = 0; c < HEAD; c++) {
        query[c] = q[i * HEAD + c];
    }

    float top = LOWEST, sum = 0;
    for (int j = 0; j <= i; j++) {
        float dot = 0;
        for (int c = 0; c < HEAD; c++) {
            dot += query[c] * k[j * HEAD + c];
        }
        float score = dot * rsqrtf(HEAD);

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
        out[i * HEAD + c] = mix[c] / sum; //~ undefined-variable
    }
}
