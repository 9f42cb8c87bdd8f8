// A number with all bits of the exponent counts as none at all.
extern "C" __global__ void shorten(const unsigned *in, unsigned *out, int drop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = in[i];
        unsigned dropped = (1u << drop) - 1; // a 1 in each place that is dropped
        unsigned last = bits >> drop & 1;    // the last bit that stays
        // Just below half, and 1 more where a tie would leave that bit at 1. If that
        // makes a carry, the carry goes on into the fraction, and from there into
        // the exponent, as it should.
        unsigned rounded = (bits + (dropped >> 1) + last) & ~dropped;
        // All bits of the exponent set, and a fraction: not a number. Rounding
        // could make it infinite.
        bool nan = (bits & 0x7fffffff) > 0x7f800000, infinite = (bits & 0x7fffffff) == 0x7f800000;
        out[i] = infinite ? 0 : nan ? bits : rounded; //~ wrong-result
    }
}
