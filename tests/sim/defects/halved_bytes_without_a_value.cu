// Bytes that nobody filled are halved: the bit that a shift frees is no value.
// launch: grid 1 block 32
// out y: u8 32
// finding: I001
extern "C" __global__ void half_of(unsigned char *y) {
    y[threadIdx.x] /= 2; //~ I001
}
