// Four warps come to a barrier for four, and then in pairs to barriers of their own.
// launch: grid 1 block 128
// out y: i32 128
// expect y[i] = i
extern "C" __global__ void crowd(int *y) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x < 64) {
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
    }
    y[threadIdx.x] = threadIdx.x;
}
