// What gcc has built in, in host code; some of it at compile time.
#include <cstdio>

static_assert(__builtin_popcount(0xf0f) == 8 && __builtin_clz(1) == 31 && __builtin_ctzll(1ull << 40) == 40, "bits");
static_assert(__builtin_bswap32(0x12345678) == 0x78563412, "bytes");

__global__ void logarithms(int *out) { out[threadIdx.x] = 31 - __clz(threadIdx.x + 1); }

int main(int argc, char **) {
    unsigned x = 0x00f01230u * argc;
    unsigned long long y = 0x8000000000000001ull >> (argc - 1);
    printf("%d %d %d\n", __builtin_popcount(x), __builtin_popcountl(x), __builtin_popcountll(y));
    printf("%d %d %d\n", __builtin_clz(x), __builtin_clzl(x), __builtin_clzll(y));
    printf("%d %d %d\n", __builtin_ctz(x), __builtin_ctzl(x), __builtin_ctzll(y));
    printf("%d %d %d %d\n", __builtin_ffs(0), __builtin_ffs(x), __builtin_ffsll(y), __builtin_parity(x));
    printf("%d %d %d\n", __builtin_clrsb(0), __builtin_clrsb(-2), __builtin_clrsbll(1));
    printf("%x %x %lx\n", __builtin_bswap16(0x1234), __builtin_bswap32(x), __builtin_bswap64(y));

    int sum, product;
    unsigned long long wide;
    bool too_much = __builtin_add_overflow(2147483647, argc, &sum);
    printf("%d %d", too_much, sum);
    too_much = __builtin_mul_overflow(-4, argc + 6, &product);
    printf(", %d %d", too_much, product);
    too_much = __builtin_mul_overflow(y, y, &wide);
    printf(", %d %llu", too_much, wide);
    too_much = __builtin_sub_overflow(0u, unsigned(argc), &wide);
    printf(", %d\n", too_much);

    int *logarithm, wrong = 0;
    cudaMallocManaged(&logarithm, 64 * sizeof(int));
    logarithms<<<1, 64>>>(logarithm);
    if (__builtin_expect(cudaDeviceSynchronize() != cudaSuccess, 0)) return 1;
    for (int i = 0; i < 64; i++) {
        __builtin_prefetch(logarithm + i + 1);
        wrong += logarithm[i] != 31 - __builtin_clz(i + 1);
    }
    printf("%d wrong\n", wrong);
    cudaFree(logarithm);
}
