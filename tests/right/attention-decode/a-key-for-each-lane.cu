// A lane for each key: keys are turned round in shared memory, and the query is read number by number.
#define LOW -3e38f
extern "C" __global__ void attention_part(const float *q, const float *k, const float *v, float *tops, float *sums, float *mixes, int n) {
    __shared__ float ks[32][33];
    int lane = threadIdx.x, chunk = blockIdx.x, head = blockIdx.y;
    const float *K = k + (size_t)head * n * 32, *V = v + (size_t)head * n * 32;
    float top = LOW, sum = 0, mix = 0;
    for (int h = 0; h < 2; h++) {
        int first = chunk * 64 + h * 32, count = min(32, n - first);
        if (count <= 0) break;
        for (int j = 0; j < count; j++) ks[j][lane] = K[(first + j) * 32 + lane];
        __syncwarp();
        float s = LOW;
        if (lane < count) { s = 0; for (int c = 0; c < 32; c++) s += q[head * 32 + c] * ks[lane][c]; s *= rsqrtf(32.f); }
        float m = s; for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
        m = fmaxf(m, top);
        float w = lane < count ? expf(s - m) : 0, f = expf(top - m), ws = w;
        for (int d = 16; d; d /= 2) ws += __shfl_xor_sync(~0u, ws, d);
        sum = sum * f + ws; mix *= f; top = m;
        for (int j = 0; j < count; j++) mix += __shfl_sync(~0u, w, j) * V[(first + j) * 32 + lane];
        __syncwarp();
    }
    int p = head * gridDim.x + chunk;
    mixes[p * 32 + lane] = mix;
    if (!lane) { tops[p] = top; sums[p] = sum; }
}
extern "C" __global__ void attention_merge(const float *tops, const float *sums, const float *mixes, float *out, int chunks) {
    int lane = threadIdx.x, head = blockIdx.x;
    float top = LOW, sum = 0, mix = 0;
    for (int p = head * chunks; p < (head + 1) * chunks; p++) { float m = fmaxf(top, tops[p]), f = expf(top - m), g = expf(tops[p] - m); sum = sum * f + sums[p] * g; mix = mix * f + mixes[p * 32 + lane] * g; top = m; }
    out[head * 32 + lane] = mix / sum;
}
