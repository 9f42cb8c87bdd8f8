// attention: each token's new vector is a mixture of the values of the tokens
// up to it, with weights from softmax(query · key / √HEAD).
//
// q, k, v, out: (heads, n, HEAD), row-major: for each head, n vectors.
// Blocks of 64 threads, enough to have a thread for each token; blockIdx.y is
// the head.

#define HEAD 32
#define LOWEST -3.0e38f // below every score

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // which token
    // From here on, q[i * HEAD + c] and so on are in this head.
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
            dot += query[c] * k[j * HEAD + c];
        }
        float score = dot * rsqrtf(HEAD);

        // exp(score - top) is what counts. If top grows, everything added with the
        // old top shrinks by the same factor: both the sum and the mixture.
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
