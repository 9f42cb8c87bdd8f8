// Each head by one thread, in double.
#define HEAD 32

extern "C" __global__ void attention_part(const float *q, const float *k, const float *v,
                                          float *tops, float *sums, float *mixes, int n) {
    int head = blockIdx.y, lane = threadIdx.x;
    if (blockIdx.x > 0) {
        return;
    }
    q += head * HEAD;
    k += (long long)head * n * HEAD;
    v += (long long)head * n * HEAD;
    double top = -1e300, sum = 0, mix = 0;
    for (int j = 0; j < n; j++) {
        double dot = 0;
        for (int c = 0; c < HEAD; c++) {
            dot += (double)q[c] * k[j * HEAD + c];
        }
        dot /= sqrt((double)HEAD);
        double before = top;
        top = fmax(top, dot);
        sum = sum * exp(before - top) + exp(dot - top);
        mix = mix * exp(before - top) + exp(dot - top) * v[j * HEAD + lane];
    }
    mixes[(long long)head * gridDim.x * HEAD + lane] = (float)(mix / sum);
}

extern "C" __global__ void attention_merge(const float *tops, const float *sums,
                                           const float *mixes, float *out, int chunks) {
    int head = blockIdx.x, lane = threadIdx.x;
    out[head * HEAD + lane] = mixes[(long long)head * chunks * HEAD + lane];
}
