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
    // Write here what a thread does with its pair.
}
