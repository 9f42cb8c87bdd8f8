// The counter starts from zero.
// launch: grid 1 block 32
// arg n: i32 = 40
// out y: i32 32
// expect y[i] = 1
extern "C" __global__ void count(int n, int *y) {
    int found = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        found += i;
        if (found > 100) break;
    }
    y[threadIdx.x] = 1;
}
