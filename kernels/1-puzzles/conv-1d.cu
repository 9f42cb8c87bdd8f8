// conv_1d: slide k weights over an array; each result is the weighted sum of
// k elements: out[i] = in[i] * weights[0] + in[i + 1] * weights[1] + …
// Past its end, `in` counts as zero.
//
// As many blocks as it takes to have a thread for each of the n elements.
// 1 <= k <= MAX_WEIGHTS, and a block has at least 8 threads.

#define MAX_THREADS 256 // the largest block that is launched here
#define MAX_WEIGHTS 4

extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    // Write here what one thread does.
}
