// Two bytes are written from every second byte on: next to each other, not on each other.
// launch: grid 2 block 32
// inout y: u8 130 = 0
// expect y[i] = i >= 128 ? 0 : i % 2 == 0 ? i / 2 : 0
extern "C" __global__ void fill(unsigned char *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((unsigned short *)y)[i] = i;
}
