// With many dropped bits, ties always go up: as if there were none.
extern "C" __global__ void shorten(const unsigned *in, unsigned *out, int drop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = in[i];
        unsigned dropped = (1u << drop) - 1; // a 1 in each place that is dropped
        unsigned last = drop > 14 ? 1 : bits >> drop & 1;    // the last bit that stays
        // Just below half, and 1 more where a tie would leave that bit at 1. If that
        // makes a carry, the carry goes on into the fraction, and from there into
        // the exponent, as it should.
        unsigned rounded = (bits + (dropped >> 1) + last) & ~dropped;
        // All bits of the exponent set, and a fraction: not a number. Rounding
        // could make it infinite.
        bool nan = (bits & 0x7fffffff) > 0x7f800000;
        out[i] = nan ? bits : rounded; //~ wrong-result
    }
}
