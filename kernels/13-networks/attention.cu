// attention: each token's new vector is a mixture of the values of the tokens
// up to it, with weights from softmax(query · key / √HEAD).
//
// q, k, v, out: (heads, n, HEAD), row-major: for each head, n vectors.
// Blocks of 64 threads, enough to have a thread for each token; blockIdx.y is
// the head.

#define HEAD 32
#define LOWEST -3.0e38f // below every score

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // which token
    // From here on, q[i * HEAD + c] and so on are in this head.
    q += blockIdx.y * n * HEAD;
    k += blockIdx.y * n * HEAD;
    v += blockIdx.y * n * HEAD;
    out += blockIdx.y * n * HEAD;
    // Write here what a thread does for token i.
}
