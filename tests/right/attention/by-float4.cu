// Keys and values come by float4.
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
        query[c] = q[i * HEAD + c];
    }

    float top = LOWEST, sum = 0; // the largest score so far, and the sum of weights
    for (int j = 0; j <= i; j++) { // causal: no token later than i
        float dot = 0;
        for (int c = 0; c < HEAD; c++) {
            if (c % 4 == 0) {
                float4 key = *(const float4 *)(k + j * HEAD + c);
                dot += query[c] * key.x + query[c + 1] * key.y;
                dot += query[c + 2] * key.z + query[c + 3] * key.w;
            }
        }
        float score = dot * rsqrtf(HEAD);

        float before = top;
        top = fmaxf(top, score);
        float factor = expf(before - top);
        float weight = expf(score - top);
        sum = sum * factor + weight;
        for (int c = 0; c < HEAD; c += 4) {
            float4 value = *(const float4 *)(v + j * HEAD + c);
            mix[c] = mix[c] * factor + weight * value.x;
            mix[c + 1] = mix[c + 1] * factor + weight * value.y;
            mix[c + 2] = mix[c + 2] * factor + weight * value.z;
            mix[c + 3] = mix[c + 3] * factor + weight * value.w;
        }
    }

    for (int c = 0; c < HEAD; c++) {
        out[i * HEAD + c] = mix[c] / sum;
    }
}
