// Sums are carried over only where a larger score comes; lane 31 writes.
#define HEAD 32
#define CHUNK 64        // keys for a block
#define LOWEST -3.0e38f // below every score
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ void attention_part(const float *q, const float *k, const float *v,
                                          float *tops, float *sums, float *mixes, int n) {
    int lane = threadIdx.x, chunk = blockIdx.x, chunks = gridDim.x, head = blockIdx.y;
    float query = q[head * HEAD + lane];
    k += (long long)head * n * HEAD;
    v += (long long)head * n * HEAD;

    int end = min(n, (chunk + 1) * CHUNK);
    float top = LOWEST, sum = 0, mix = 0;
    for (int j = chunk * CHUNK; j < end; j++) {
        float score = warp_sum(query * k[j * HEAD + lane]) * rsqrtf(HEAD);
        if (score > top) {
            float factor = expf(top - score);
            sum *= factor;
            mix *= factor;
            top = score;
        }
        float weight = expf(score - top);
        sum += weight;
        mix = fmaf(weight, v[j * HEAD + lane], mix);
    }
    mixes[(head * chunks + chunk) * HEAD + lane] = mix;
    if (lane == 31) {
        tops[head * chunks + chunk] = top;
        sums[head * chunks + chunk] = sum;
    }
}

extern "C" __global__ void attention_merge(const float *tops, const float *sums,
                                           const float *mixes, float *out, int chunks) {
    int lane = threadIdx.x, head = blockIdx.x;
    tops += head * chunks;
    sums += head * chunks;
    mixes += head * chunks * HEAD;

    float top = LOWEST;
    for (int p = 0; p < chunks; p++) {
        top = fmaxf(top, tops[p]);
    }
    float sum = 0, mix = 0;
    for (int p = 0; p < chunks; p++) {
        float factor = expf(tops[p] - top);
        sum += sums[p] * factor;
        mix += mixes[p * HEAD + lane] * factor;
    }
    out[head * HEAD + lane] = mix / sum;
}
