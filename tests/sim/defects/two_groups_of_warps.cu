// Each group of warps has a barrier of its own, and one reads the other's tile.
// launch: grid 1 block 128
// out y: i32 128
// finding: R001
extern "C" __global__ void groups(int *y) {
    __shared__ int s[2][64];
    int t = threadIdx.x % 64, group = threadIdx.x / 64;
    s[group][t] = group * 1000 + t; //~ R001
    if (group == 0) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    y[threadIdx.x] = s[ 1 - group ][63 - t]; //~ R001
}
