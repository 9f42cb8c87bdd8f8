// The loop ends, and keeps to the buffer.
// launch: grid 2 block 128
// out y: i32 256
// expect y[i] = 99
extern "C" __global__ void spill(int *y) {
    for (int k = 0; k < 100; k++) {
        ((volatile int *)y)[blockIdx.x * 128 + threadIdx.x] = k;
    }
}
