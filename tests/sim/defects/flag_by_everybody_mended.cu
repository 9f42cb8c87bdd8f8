// A barrier that reduces tells whether anybody saw something.
// launch: grid 1 block 96
// in a: i32 96 = i % 40
// out y: i32 1
// expect y = 1
extern "C" __global__ void any(const int *a, int *y) {
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0) {
        found = 0;
    }
    __syncthreads();
    int is = __syncthreads_or(a[t] > 20);
    if (t == 0) {
        *y = is;
    }
}
