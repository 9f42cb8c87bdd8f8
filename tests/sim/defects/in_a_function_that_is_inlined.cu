// The stray access is in a function that another one calls.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: M001
// calls: 11 14
__device__ __forceinline__ int next(const int *a, int i) {
    return a[i + 1]; //~ M001
}
__device__ __forceinline__ int twice(const int *a, int i) {
    return 2 * next(a, i);
}
extern "C" __global__ void inlined(const int *a, int *y) {
    y[threadIdx.x] = twice(a, threadIdx.x);
}
