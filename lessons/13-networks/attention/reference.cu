// Causal attention in double: scores, largest, sum, mixture, one after the other.
#define HEAD 32

__device__ double score(const float *q, const float *k) {
    double dot = 0;
    for (int c = 0; c < HEAD; c++) {
        dot += (double)q[c] * k[c];
    }
    return dot / sqrt((double)HEAD);
}

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    long long head = (long long)blockIdx.y * n * HEAD;
    q += head + (long long)i * HEAD;
    out += head + (long long)i * HEAD;
    k += head;
    v += head;
    double top = -1e300, sum = 0, mix[HEAD] = {};
    for (int j = 0; j <= i; j++) {
        top = fmax(top, score(q, k + j * HEAD));
    }
    for (int j = 0; j <= i; j++) {
        double weight = exp(score(q, k + j * HEAD) - top);
        sum += weight;
        for (int c = 0; c < HEAD; c++) {
            mix[c] += weight * v[j * HEAD + c];
        }
    }
    for (int c = 0; c < HEAD; c++) {
        out[c] = (float)(mix[c] / sum);
    }
}
