// The producer says that it is done before it writes.
// launch: grid 1 block 64
// out y: i32 32
// finding: R001
extern "C" __global__ void specialised(int *y) {
    __shared__ int buffer[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        buffer[t] = t; //~ R001
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = buffer[31 - t]; //~ R001
    }
}
