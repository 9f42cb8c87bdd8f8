// Eight lanes have a key as float4, so a warp has four keys at a time.
#define HEAD 32
#define CHUNK 64        // keys for a block
#define LOWEST -3.0e38f // below every score
#define ALL_LANES 0xffffffffu

// Returns the sum of the 32 lanes' values to all of them.
__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ void attention_part(const float *q, const float *k, const float *v,
                                          float *tops, float *sums, float *mixes, int n) {
    int lane = threadIdx.x, part = blockIdx.y * gridDim.x + blockIdx.x;
    int group = lane / 8, l = lane % 8;
    float4 query = ((const float4 *)(q + blockIdx.y * HEAD))[l];
    size_t head = (size_t)blockIdx.y * n;
    int first = blockIdx.x * CHUNK, end = min(n, first + CHUNK);
    float top = LOWEST, sum = 0;
    float4 mix = {};
    for (int base = first; base < end; base += 4) {
        int j = base + group;
        bool there = j < end;
        float4 key = there ? ((const float4 *)(k + (head + j) * HEAD))[l] : float4{};
        float dot = key.x * query.x + key.y * query.y + key.z * query.z + key.w * query.w;
        for (int d = 4; d; d /= 2) dot += __shfl_xor_sync(ALL_LANES, dot, d);
        if (there) {
            float score = dot * rsqrtf(HEAD), before = top;
            top = fmaxf(top, score);
            float f = expf(before - top), w = expf(score - top);
            float4 value = ((const float4 *)(v + (head + j) * HEAD))[l];
            sum = sum * f + w;
            mix.x = mix.x * f + w * value.x; mix.y = mix.y * f + w * value.y;
            mix.z = mix.z * f + w * value.z; mix.w = mix.w * f + w * value.w;
        }
    }
    for (int d = 8; d < 32; d *= 2) {
        float other = __shfl_xor_sync(ALL_LANES, top, d), both = fmaxf(top, other);
        float f = expf(top - both);
        sum *= f; mix.x *= f; mix.y *= f; mix.z *= f; mix.w *= f;
        top = both;
        sum += __shfl_xor_sync(ALL_LANES, sum, d);
        mix.x += __shfl_xor_sync(ALL_LANES, mix.x, d); mix.y += __shfl_xor_sync(ALL_LANES, mix.y, d);
        mix.z += __shfl_xor_sync(ALL_LANES, mix.z, d); mix.w += __shfl_xor_sync(ALL_LANES, mix.w, d);
    }
    if (group == 0) ((float4 *)(mixes + part * HEAD))[l] = mix;
    if (lane == 0) { tops[part] = top; sums[part] = sum; }
}
extern "C" __global__ void attention_merge(const float *tops, const float *sums,
                                           const float *mixes, float *out, int chunks) {
    int lane = threadIdx.x, first = blockIdx.x * chunks;
    float top = LOWEST, sum = 0, mix = 0;
    for (int p = first; p < first + chunks; p++) {
        float both = fmaxf(top, tops[p]), old = expf(top - both), f = expf(tops[p] - both);
        top = both;
        sum = sum * old + sums[p] * f;
        mix = mix * old + mixes[p * HEAD + lane] * f;
    }
    out[blockIdx.x * HEAD + lane] = mix / sum;
}
