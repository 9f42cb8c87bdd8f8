// cross_entropy_registers: the loss of each token, and in place of the logits their gradient, for large vocabularies.
//
// logits: (tokens, vocab), row-major; vocab is a multiple of 4 and at most 32768. targets: a number for each token,
// which taken % vocab says which word was right. losses: one for each token. A block of 1024 threads for each token.
//
// The lesson's kernel (cross-entropy) where a row of 128 kB would leave room for one block of 256 threads on a
// multiprocessor: the row stays in registers, which hold 256 kB there, and 1024 threads have all of it under way at once.

#define FOURS 8 // float4 of a thread

extern "C" __global__ __launch_bounds__(1024, 1) void
cross_entropy_registers(float *logits, const int *targets, float *losses, int tokens, int vocab) {
    __shared__ float tops[32], sums[32];
    const int t = threadIdx.x, fours = vocab / 4;
    float *begin = logits + (long long)blockIdx.x * vocab;
    float4 *row = (float4 *)begin;
    const int target = targets[blockIdx.x] % vocab;
    const float at_target = begin[target];

    float4 v[FOURS];
    float top = -3.0e38f;
#pragma unroll
    for (int i = 0; i < FOURS; i++) {
        int c = t + i * 1024;
        v[i] = c < fours ? row[c] : make_float4(-3.0e38f, -3.0e38f, -3.0e38f, -3.0e38f);
    }
#pragma unroll
    for (int i = 0; i < FOURS; i++) {
        top = fmaxf(top, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    for (int d = 16; d > 0; d /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    }
    if (t % 32 == 0) {
        tops[t / 32] = top;
    }
    __syncthreads();
    for (int warp = 0; warp < 32; warp++) {
        top = fmaxf(top, tops[warp]);
    }

    float sum = 0;
#pragma unroll
    for (int i = 0; i < FOURS; i++) {
        v[i].x = __expf(v[i].x - top);
        v[i].y = __expf(v[i].y - top);
        v[i].z = __expf(v[i].z - top);
        v[i].w = __expf(v[i].w - top);
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (t % 32 == 0) {
        sums[t / 32] = sum;
    }
    __syncthreads();
    sum = 0;
    for (int warp = 0; warp < 32; warp++) {
        sum += sums[warp];
    }

    if (t == 0) {
        losses[blockIdx.x] = logf(sum) + (top - at_target);
    }
    const float shrink = 1 / (sum * tokens), less = 1.0f / tokens;
#pragma unroll
    for (int i = 0; i < FOURS; i++) {
        int c = t + i * 1024;
        if (c < fours) {
            float4 g = make_float4(v[i].x * shrink, v[i].y * shrink, v[i].z * shrink, v[i].w * shrink);
            if (c == target / 4) {
                int k = target % 4;
                if (k == 0) {
                    g.x -= less;
                }
                if (k == 1) {
                    g.y -= less;
                }
                if (k == 2) {
                    g.z -= less;
                }
                if (k == 3) {
                    g.w -= less;
                }
            }
            row[c] = g;
        }
    }
}
#undef FOURS
