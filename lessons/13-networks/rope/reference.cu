// Pair by pair, in double.
extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int token = i / (heads * 32), head = i / 32 % heads, pair = i % 32;
    if (token < tokens) {
        float *at = x + (token * heads + head) * 64 + pair;
        double a = at[0], b = at[32];
        double c = cosine[token * 32 + pair], s = sine[token * 32 + pair];
        at[0] = (float)(a * c - b * s);
        at[32] = (float)(a * s + b * c);
    }
}
