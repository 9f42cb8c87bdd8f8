// The first thread has no neighbour to the left.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// expect y[i] = max(i - 1, 0)
extern "C" __global__ void previous(const int *a, int *y) {
    int i = threadIdx.x;
    y[i] = i > 0 ? a[i - 1] : 0;
}
