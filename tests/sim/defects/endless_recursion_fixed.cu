// The recursion ends.
// launch: grid 1 block 1
// out y: i32 1
// expect y = 6
__device__ __noinline__ int deeper(volatile int *p, int n) {
    int here[16];
    for (int i = 0; i < 16; i++) {
        here[i] = p[0] + i;
    }
    return n == 3 ? 0 : deeper(p, n + 1) + here[n % 16 + 1];
}
extern "C" __global__ void down(int *y) {
    y[0] = 0;
    y[0] = deeper(y, 0);
}
