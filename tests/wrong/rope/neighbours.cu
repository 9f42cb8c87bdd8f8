// Takes neighbouring numbers for a pair.
#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tokens * heads * HALF) {
        int pair = i % HALF;
        int vector = i / HALF;
        int token = vector / heads;
        float c = cosine[token * HALF + pair];
        float s = sine[token * HALF + pair];
        float a = x[vector * HEAD + 2 * pair];
        float b = x[vector * HEAD + 2 * pair + 1];
        x[vector * HEAD + 2 * pair] = a * c - b * s;
        x[vector * HEAD + 2 * pair + 1] = a * s + b * c; //~ wrong-result
    }
}
