// High halves of products, and 24-bit products.
// launch: grid 1 block 32
// in a: i32 32 = i32(i * 1103515245 + 12345)
// in b: i64 32 = i * 6364136223846793005 + 1442695040888963407
// out y: i64 128
// expect y[i] = i % 4 == 0 ? i32((a[i/4] * i32(a[i/4] + 7)) >> 32) : i % 4 == 1 ? u32(shr(u32(a[i/4]) * 4000000007, 32)) : i % 4 == 2 ? mulhi64(b[i/4], 0x123456789abcdef) : umulhi64(b[i/4], 0xfedcba9876543210)
extern "C" __global__ void high(const int *a, const long long *b, long long *y) {
    int i = threadIdx.x;
    y[4 * i] = __mulhi(a[i], a[i] + 7);
    y[4 * i + 1] = __umulhi((unsigned)a[i], 4000000007u);
    y[4 * i + 2] = __mul64hi(b[i], 0x123456789abcdefLL);
    y[4 * i + 3] = __umul64hi(b[i], 0xfedcba9876543210ULL);
}
