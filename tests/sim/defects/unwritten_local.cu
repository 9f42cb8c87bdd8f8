// A thread's own array, written in part.
// launch: grid 1 block 32
// arg n: i32 = 3
// out y: i32 32
// finding: I001
extern "C" __global__ void own(int n, int *y) {
    int mine[16];
    for (int i = 0; i < n; i++) {
        mine[i * 2 % 16] = i;
    }
    y[threadIdx.x] = mine[(threadIdx.x + n) % 16]; //~ I001
}
