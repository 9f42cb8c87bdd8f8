// shorten: round floats to fewer bits of fraction.
//
// in, out: the bits of n floats. The lowest `drop` of them (1 to 22) become 0.
// 128 threads per block, a thread for each float.

extern "C" __global__ void shorten(const unsigned *in, unsigned *out, int drop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = in[i];
        unsigned dropped = (1u << drop) - 1; // a 1 in each place that is dropped
        // This cuts. Make it round, and leave NaN as it is.
        out[i] = bits & ~dropped;
    }
}
