// The four bytes are put together one by one.
// launch: grid 1 block 4
// in a: i32 64 = i * 256
// out y: i32 4
// expect y[i] = i
extern "C" __global__ void odd(const int *a, int *y) {
    const unsigned char *bytes = (const unsigned char *)a + 1 + 4 * threadIdx.x;
    y[threadIdx.x] = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
}
