// The producer writes and then says that it is done.
// launch: grid 1 block 64
// out y: i32 32
// expect y[i] = 31 - i
extern "C" __global__ void specialised(int *y) {
    __shared__ int buffer[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        buffer[t] = t;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = buffer[31 - t];
    }
}
