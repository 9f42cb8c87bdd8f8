// rope: turn each pair of numbers by the angle of its token and its place.
//
// x: (tokens, heads, HEAD), row-major, changed in place. In each vector of HEAD
// numbers, number p and number p + HALF are pair p.
// cosine, sine: (tokens, HALF), for each token and pair; the same for all heads.
// Blocks of 128 threads, enough to have a thread for each pair.

#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tokens * heads * HALF) {
        // Neighbouring threads have neighbouring pairs: a warp has the first half
        // of a vector side by side, and then its second half.
        int pair = i % HALF;
        int vector = i / HALF; // one head of one token
        int token = vector / heads;
        float c = cosine[token * HALF + pair];
        float s = sine[token * HALF + pair];
        // Both are read before either is written. No other thread has this pair, so
        // it can be changed in place, with no barrier.
        float a = x[vector * HEAD + pair];
        float b = x[vector * HEAD + pair + HALF];
        x[vector * HEAD + pair] = a * c - b * s;
        x[vector * HEAD + pair + HALF] = a * s + b * c;
    }
}
