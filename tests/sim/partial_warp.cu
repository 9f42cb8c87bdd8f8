// Warp operations among the lanes of a branch, each branch on its own.
// launch: grid 1 block 32
// in a: i32 32 = i * i
// out y: i32 64
// expect y[i] = i % 2 == 0 ? (i/2 < 12 ? sum(k, 0, 12, a[k]) : sum(k, 12, 32, a[k])) : (i/2 < 12 ? a[11] : a[12 + (i/2 - 12 + 1) % 20])
extern "C" __global__ void partial(const int *a, int *y) {
    int i = threadIdx.x;
    if (i < 12) {
        unsigned mask = 0xfff;
        int sum = 0;
        for (int k = 0; k < 12; k++) {
            sum += __shfl_sync(mask, a[i], k);
        }
        y[2 * i] = sum;
        y[2 * i + 1] = __shfl_sync(mask, a[i], 11);
        __syncwarp(mask);
    } else {
        unsigned mask = 0xfffff000;
        int sum = 0;
        for (int k = 12; k < 32; k++) {
            sum += __shfl_sync(mask, a[i], k);
        }
        y[2 * i] = sum;
        y[2 * i + 1] = __shfl_sync(mask, a[i], 12 + (i - 12 + 1) % 20);
        __syncwarp(mask);
    }
}
