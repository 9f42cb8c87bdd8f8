// Attention of one token, the newest: its query against all n keys of a head.
//
// q, out: (heads, HEAD), k, v: (heads, n, HEAD), row-major.
// The lanes of a warp compute the dot product of query and key together: lane c has
// number c of each vector. (HEAD is 32.)
//
// These kernels are right, but the first block of a head does all the work.

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

// First launch: a block of one warp for each CHUNK keys; blockIdx.y is the head. The
// results of a head's parts go to tops and sums (heads, chunks) and mixes (heads,
// chunks, HEAD).
extern "C" __global__ void attention_part(const float *q, const float *k, const float *v,
                                          float *tops, float *sums, float *mixes, int n) {
    int lane = threadIdx.x, chunk = blockIdx.x, chunks = gridDim.x, head = blockIdx.y;
    float query = q[head * HEAD + lane];
    // From here on, k[j * HEAD + lane] is in this head.
    k += (long long)head * n * HEAD;
    v += (long long)head * n * HEAD;
    if (chunk > 0) {
        return;
    }

    float top = LOWEST, sum = 0, mix = 0;
    for (int j = 0; j < n; j++) {
        float score = warp_sum(query * k[j * HEAD + lane]) * rsqrtf(HEAD);
        float before = top;
        top = fmaxf(top, score);
        float factor = expf(before - top);
        float weight = expf(score - top);
        sum = sum * factor + weight;
        mix = mix * factor + weight * v[j * HEAD + lane];
    }
    mixes[(head * chunks + chunk) * HEAD + lane] = mix;
    if (lane == 0) {
        tops[head * chunks + chunk] = top;
        sums[head * chunks + chunk] = sum;
    }
}

// Second launch: a block of one warp for each head.
extern "C" __global__ void attention_merge(const float *tops, const float *sums,
                                           const float *mixes, float *out, int chunks) {
    int lane = threadIdx.x, head = blockIdx.x;
    // The first part has everything.
    float sum = sums[head * chunks];
    float mix = mixes[head * chunks * HEAD + lane];
    out[head * HEAD + lane] = mix / sum;
}
