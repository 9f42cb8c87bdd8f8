// Each group of warps has a barrier of its own, and a tile of its own.
// launch: grid 1 block 128
// out y: i32 128
// expect y[i] = i / 64 * 1000 + 63 - i % 64
extern "C" __global__ void groups(int *y) {
    __shared__ int s[2][64];
    int t = threadIdx.x % 64, group = threadIdx.x / 64;
    s[group][t] = group * 1000 + t;
    if (group == 0) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    y[threadIdx.x] = s[ group ][63 - t];
}
