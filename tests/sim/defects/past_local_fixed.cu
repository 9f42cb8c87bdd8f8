// The index stays within the thread's own array.
// launch: grid 1 block 32
// arg n: i32 = 40
// out y: i32 32
// expect y[i] = (i + 40) % 8 * 40
extern "C" __global__ void own(int n, int *y) {
    int mine[8];
    for (int i = 0; i < 8; i++) {
        mine[i] = i * n;
    }
    y[threadIdx.x] = mine[(threadIdx.x + n) % 8];
}
