// Lanes of a warp add up in global memory; __syncwarp() orders the steps.
// launch: grid 1 block 32
// inout x: i32 32 = i
// out y: i32 1
// expect y = 496
extern "C" __global__ void sum(int *x, int *y) {
    int t = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) {
        if (t < step) {
            x[t] += x[t + step];
        }
        __syncwarp();
    }
    if (t == 0) {
        *y = x[0];
    }
}
