// The whole array has a value.
// launch: grid 1 block 32
// arg n: i32 = 3
// out y: i32 32
// expect y[i] = 7
extern "C" __global__ void own(int n, int *y) {
    int mine[16];
    for (int i = 0; i < 16; i++) {
        mine[(i + n) % 16] = 7;
    }
    y[threadIdx.x] = mine[(threadIdx.x + n) % 16];
}
