// Two bytes are written from every second byte on, and one more behind them.
// launch: grid 2 block 32
// inout y: u8 130 = 0
// finding: R002
extern "C" __global__ void fill(unsigned char *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((unsigned short *)y)[i] = i; //~ R002
    y[2 * i + 2] = 255; //~ R002
}
