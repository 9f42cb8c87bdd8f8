// Attention in double: scores, largest, sum, mixture, one query for each thread.
#include <cuda_fp16.h>

#define HEAD 64

__device__ double score(const __half *q, const __half *k) {
    double dot = 0;
    for (int c = 0; c < HEAD; c++) {
        dot += (double)__half2float(q[c]) * __half2float(k[c]);
    }
    return dot / sqrt((double)HEAD);
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, __half *out,
                                     int n) {
    if (threadIdx.x >= 64) {
        return;
    }
    long long head = (long long)blockIdx.y * n * HEAD;
    int i = blockIdx.x * 64 + threadIdx.x;
    q += head + (long long)i * HEAD;
    out += head + (long long)i * HEAD;
    k += head;
    v += head;
    double top = -1e300, sum = 0, mix[HEAD] = {};
    for (int j = 0; j < n; j++) {
        top = fmax(top, score(q, k + j * HEAD));
    }
    for (int j = 0; j < n; j++) {
        double weight = exp(score(q, k + j * HEAD) - top);
        sum += weight;
        for (int c = 0; c < HEAD; c++) {
            mix[c] += weight * __half2float(v[j * HEAD + c]);
        }
    }
    for (int c = 0; c < HEAD; c++) {
        out[c] = __float2half((float)(mix[c] / sum));
    }
}
