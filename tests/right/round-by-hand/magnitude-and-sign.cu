// Sign and magnitude apart; NaN returns first.
extern "C" __global__ void shorten(const unsigned *in, unsigned *out, int drop, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned bits = in[i], sign = bits & 0x80000000, size = bits ^ sign;
    if (size > 0x7f800000) {
        out[i] = bits;
        return;
    }
    unsigned kept = size >> drop, rest = size - (kept << drop);
    unsigned twice = 2 * rest, unit = 1u << drop;
    if (twice > unit || (twice == unit && kept % 2 == 1)) {
        kept++;
    }
    out[i] = sign | kept << drop;
}
