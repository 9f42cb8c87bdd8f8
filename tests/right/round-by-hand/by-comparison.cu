// What is dropped is compared with a half: above it up, below it down, else to even.
extern "C" __global__ void shorten(const unsigned *in, unsigned *out, int drop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = in[i];
        unsigned dropped = (1u << drop) - 1; // a 1 in each place that is dropped
        unsigned last = bits >> drop & 1;    // the last bit that stays
        unsigned rest = bits & dropped, half = drop > 0 ? 1u << (drop - 1) : 0;
        unsigned rounded = bits - rest;
        if (rest > half || (rest == half && last == 1 && drop > 0)) {
            rounded += dropped + 1;
        }
        out[i] = isnan(__uint_as_float(bits)) ? bits : rounded;
    }
}
