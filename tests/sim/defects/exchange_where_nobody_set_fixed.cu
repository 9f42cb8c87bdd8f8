// What is the same whatever was there sets a beginning: an exchange of which nobody looks at the old value, by one
// thread or by many, an and with no bit, and the greatest number.
// launch: grid 2 block 64
// out y: i32 10
// expect y = 40 7 0 2147483647 1 40 7 0 2147483647 1
extern "C" __global__ void set(int *y) {
    __shared__ int lock, count, last, flags, most;
    if (threadIdx.x == 0) {
        atomicExch(&lock, 0);
        atomicExch(&count, 0);
    }
    if (threadIdx.x == 32) {
        atomicAnd(&flags, 0);
        atomicMax(&most, 2147483647);
    }
    if (threadIdx.x >= 40)
        atomicExch(&last, 7);
    __syncthreads();
    if (threadIdx.x < 40)
        atomicAdd(&count, 1);
    bool first = threadIdx.x == 5 && atomicExch(&lock, 1) == 0;
    __syncthreads();
    if (first) {
        int *its = y + blockIdx.x * 5;
        its[0] = count;
        its[1] = last;
        its[2] = flags;
        its[3] = most;
        its[4] = lock;
    }
}
