// The chunk's scores are kept in shared memory; powers are found when the top is known.
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
    __shared__ float scores[CHUNK];
    int first = chunk * CHUNK;
    float top = LOWEST, sum = 0, mix = 0;
    for (int j = first; j < end; j++) {
        float score = warp_sum(query * k[j * HEAD + lane]) * rsqrtf(HEAD);
        top = fmaxf(top, score);
        if (lane == 0) {
            scores[j - first] = score;
        }
    }
    __syncwarp();
    for (int j = first; j < end; j++) {
        float weight = expf(scores[j - first] - top);
        sum += weight;
        mix += weight * v[j * HEAD + lane];
    }
    mixes[(head * chunks + chunk) * HEAD + lane] = mix;
    if (lane == 0) {
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
