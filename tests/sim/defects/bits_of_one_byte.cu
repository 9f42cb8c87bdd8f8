// Eight threads set a bit each of one byte.
// launch: grid 1 block 64
// in a: i32 64 = i % 3 == 0
// inout bits: u8 8 = 0
// finding: R002
extern "C" __global__ void pack(const int *a, unsigned char *bits) {
    int t = threadIdx.x;
    bits[t / 8] |= a[t] << t % 8; //~ R002
}
