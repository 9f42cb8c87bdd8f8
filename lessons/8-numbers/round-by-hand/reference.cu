// To the nearer neighbour, ties to the even one; NaN as it is.
extern "C" __global__ void shorten(const unsigned *in, unsigned *out, int drop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = in[i];
        unsigned magnitude = bits & 0x7fffffff, sign = bits & 0x80000000;
        if (magnitude <= 0x7f800000) {
            // In whole steps of the last bit that stays.
            unsigned step = 1u << drop, down = magnitude / step, rest = magnitude % step;
            bool up = 2ull * rest > step || (2ull * rest == step && down % 2 == 1);
            magnitude = (down + up) * step;
        }
        out[i] = sign | magnitude;
    }
}
