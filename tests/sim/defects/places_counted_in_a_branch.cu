// Those who keep a value count their places together, in a function with barriers, and the others
// never come.
// launch: grid 1 block 64
// in a: i32 64 = i % 2
// out y: i32 64
// finding: I001
// finding: B001
// finding: B001
// finding: M001
// names: s
// note: The address is computed from what line 16 reads from shared memory, after a barrier that not all threads reached (B001): fix that first.
__device__ int before(int value) {
    __shared__ int s[64];
    s[threadIdx.x] = value;
    __syncthreads(); //~ B001
    int sum = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0; //~ I001
    __syncthreads(); //~ B001
    return sum;
}
extern "C" __global__ void keep(const int *a, int *y) {
    if (a[threadIdx.x] > 0)
        y[before(1)] = 1; //~ M001
}
