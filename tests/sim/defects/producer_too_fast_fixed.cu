// Two named barriers, one for full and one for empty, between producer and consumers.
// launch: grid 1 block 64
// out y: i32 32
// expect y[i] = 4 * (31 - i) + 6
extern "C" __global__ void specialised(int *y) {
    __shared__ int buffer[32];
    int t = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            if (k > 0) {
                asm volatile("bar.sync 2, 64;" ::: "memory");
            }
            buffer[t] = t + k;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[31 - t];
            if (k < 3) {
                asm volatile("bar.arrive 2, 64;" ::: "memory");
            }
        }
    }
    if (threadIdx.x >= 32) {
        y[t] = sum;
    }
}
