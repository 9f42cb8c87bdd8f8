// The stray access is in a function of its own.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: M001
// note: Called from line 11.
__device__ __forceinline__ int next(const int *a, int i) {
    return a[i + 1]; //~ M001
}
extern "C" __global__ void inlined(const int *a, int *y) {
    y[threadIdx.x] = next(a, threadIdx.x);
}
