// Bit counting and reversal intrinsics on 32- and 64-bit integers.
// launch: grid 1 block 64
// in a: u32 64 = u32(i * 2654435761)
// in b: u64 64 = i * 11400714819323198485 + (i == 0)
// out y: i32 512
// expect y[i] = i % 8 == 0 ? clz32(a[i/8]) : i % 8 == 1 ? popcount(a[i/8]) : i % 8 == 2 ? i32(reverse32(a[i/8])) : i % 8 == 3 ? ffs(i32(a[i/8])) : i % 8 == 4 ? clz64(b[i/8]) : i % 8 == 5 ? popcount(b[i/8]) : i % 8 == 6 ? i32(reverse64(b[i/8]) >> 7) : ffs(b[i/8])
extern "C" __global__ void bits(const unsigned *a, const unsigned long long *b, int *y) {
    int i = threadIdx.x;
    int *out = y + 8 * i;
    out[0] = __clz(a[i]);
    out[1] = __popc(a[i]);
    out[2] = __brev(a[i]);
    out[3] = __ffs(a[i]);
    out[4] = __clzll(b[i]);
    out[5] = __popcll(b[i]);
    out[6] = (int)(__brevll(b[i]) >> 7);
    out[7] = __ffsll(b[i]);
}
