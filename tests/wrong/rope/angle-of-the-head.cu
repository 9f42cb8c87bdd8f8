// Gives every head an angle of its own, as if it were a token.
#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tokens * heads * HALF) {
        int pair = i % HALF;
        int vector = i / HALF;
        int token = vector;
        float c = cosine[token * HALF + pair]; //~ out-of-bounds
        float s = sine[token * HALF + pair];
        float a = x[vector * HEAD + pair];
        float b = x[vector * HEAD + pair + HALF];
        x[vector * HEAD + pair] = a * c - b * s;
        x[vector * HEAD + pair + HALF] = a * s + b * c;
    }
}
