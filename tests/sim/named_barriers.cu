// bar.sync and bar.arrive on named barriers: producers and consumers in one block.
// launch: grid 1 block 96
// out y: i32 64
// expect y[i] = i % 32 * 10 + 3 + (i / 32) * 1000
extern "C" __global__ void named(int *y) {
    __shared__ int values[32];
    int t = threadIdx.x;
    if (t < 32) {
        values[t] = t * 10 + 3;
        asm volatile("bar.arrive 5, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 5, 96;" ::: "memory");
        y[t - 32] = values[t % 32] + (t - 32) / 32 * 1000;
    }
}
