// Warps that see something raise a plain shared flag; that they store the same orders nothing.
// launch: grid 1 block 96
// in a: i32 96 = i % 40
// out y: i32 1
// finding: R001
extern "C" __global__ void any(const int *a, int *y) {
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0) {
        found = 0;
    }
    __syncthreads();
    if (a[t] > 20) {
        found = 1; //~ R001
    }
    __syncthreads();
    int is = found;
    if (t == 0) {
        *y = is;
    }
}
