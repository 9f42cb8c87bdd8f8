// memcpy and memset of sizes known only at run time, and of structures.
// launch: grid 1 block 16
// in a: u8 256 = i
// inout y: u8 512 = 9
// expect y[i] = i % 32 < i / 32 ? u8(i / 32 * 16 + i % 32) : i % 32 < 16 ? 9 : i % 32 < 24 ? 171 : 9
extern "C" __global__ void move(const unsigned char *a, unsigned char *y) {
    int i = threadIdx.x;
    memcpy(y + 32 * i, a + 16 * i, i);
    memset(y + 32 * i + 16, 0xab, 8);
}
