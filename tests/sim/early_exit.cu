// Threads that return early, while the others of their warp go on.
// launch: grid 1 block 64
// arg n: i32 = 50
// inout y: i32 64 = -1
// expect y[i] = i >= 50 ? -1 : i % 2 == 0 ? i + 1000 : i / 2
extern "C" __global__ void leave(int n, int *y) {
    int i = threadIdx.x;
    if (i >= n) {
        return;
    }
    if (i % 2 == 1) {
        y[i] = i / 2;
        return;
    }
    y[i] = i + 1000;
}
