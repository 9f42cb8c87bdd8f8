// Causal attention in double: scores, largest, sum, mixture, one after the other.
#include <cuda_fp16.h>

#define HEAD 32

__device__ double score(const __half *q, const __half *k) {
    double dot = 0;
    for (int c = 0; c < HEAD; c++) {
        dot += (double)__half2float(q[c]) * __half2float(k[c]);
    }
    return dot / sqrt((double)HEAD);
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *out,
                                     int n) {
    int i = blockIdx.x * 16 + threadIdx.x;
    if (threadIdx.x >= 16) {
        return;
    }
    long long head = (long long)blockIdx.y * n * HEAD;
    q += head + (long long)i * HEAD;
    out += head + (long long)i * HEAD;
    k += head;
    v += head;
    double top = -1e300, sum = 0, mix[HEAD] = {};
    for (int j = 0; j <= i; j++) {
        double s = score(q, k + j * HEAD);
        double before = top;
        top = fmax(top, s);
        double factor = exp(before - top), weight = exp(s - top);
        sum = sum * factor + weight;
        for (int c = 0; c < HEAD; c++) {
            mix[c] = mix[c] * factor + weight * __half2float(v[j * HEAD + c]);
        }
    }
    for (int c = 0; c < HEAD; c++) {
        out[c] = (float)(mix[c] / sum);
    }
}
