// The bytes are filled before they are halved.
// launch: grid 1 block 32
// inout y: u8 32 = 2 * i
// expect y[i] = i
extern "C" __global__ void half_of(unsigned char *y) {
    y[threadIdx.x] /= 2;
}
