// The vector is an array of two halves; its place is found from the token on.
#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tokens * heads * HALF) {
        int token = i / (heads * HALF), rest = i - token * heads * HALF;
        int head = rest / HALF, pair = rest - head * HALF;
        int vector = token * heads + head;
        float c = cosine[token * HALF + pair];
        float s = sine[token * HALF + pair];
        float(*halves)[HALF] = (float(*)[HALF])(x + vector * HEAD);
        float a = halves[0][pair], b = halves[1][pair];
        halves[1][pair] = fmaf(a, s, b * c);
        halves[0][pair] = fmaf(a, c, -b * s);
    }
}
