// Has a thread for each number, and so does each pair twice.
#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tokens * heads * HEAD) {
        int pair = i % HEAD % HALF;
        int vector = i / HEAD;
        int token = vector / heads;
        float c = cosine[token * HALF + pair];
        float s = sine[token * HALF + pair];
        float a = x[vector * HEAD + pair];
        float b = x[vector * HEAD + pair + HALF];
        x[vector * HEAD + pair] = a * c - b * s; //~ global-race
        x[vector * HEAD + pair + HALF] = a * s + b * c;
    }
}
