// A function gives back where its own array was.
// launch: grid 1 block 32
// out y: i32 32
// finding: M011
__device__ __noinline__ int *corners(int x) {
    int c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = x + i;
    }
    int *volatile where = c;
    return where;
}
extern "C" __global__ void returned(int *y) {
    int *c = corners(threadIdx.x);
    y[threadIdx.x] = c[threadIdx.x % 4]; //~ M011
}
