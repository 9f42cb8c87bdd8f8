// Threads leave the kernel out of a loop, round by round; the barrier does not wait for them.
// launch: grid 1 block 96
// out y: i32 96
// expect y[i] = i / 32
extern "C" __global__ void leaving(int *y) {
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        if (i > t / 32) return;
        __syncthreads();
        y[t] = i;
    }
}
