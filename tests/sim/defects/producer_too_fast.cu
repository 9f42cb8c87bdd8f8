// A producer fills the buffer again before the consumers say that they are done with it.
// launch: grid 1 block 64
// out y: i32 32
// finding: R001
extern "C" __global__ void specialised(int *y) {
    __shared__ int buffer[32];
    int t = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            buffer[t] = t + k; //~ R001
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 3, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            asm volatile("bar.arrive 3, 64;" ::: "memory");
            sum += buffer[31 - t]; //~ R001
        }
    }
    if (threadIdx.x >= 32) {
        y[t] = sum;
    }
}
