// A warp has a vector, whose pairs are its lanes.
#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tokens * heads * HALF) {
        int lane = threadIdx.x & 31, vector = i >> 5, token = vector / heads;
        const float *turn = cosine + token * HALF, *side = sine + token * HALF;
        float *own = x + vector * HEAD;
        float low = own[lane], high = own[lane + HALF];
        own[lane] = fmaf(low, turn[lane], -high * side[lane]);
        own[lane + HALF] = fmaf(high, turn[lane], low * side[lane]);
    }
}
