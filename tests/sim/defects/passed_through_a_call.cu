// A value that nobody stored goes through a function and becomes an address.
// launch: grid 1 block 32
// in x: i32 64 = i
// out y: i32 32
// finding: I001
__device__ __noinline__ int half(int v) { return v >> 1; }
extern "C" __global__ void through(const int *x, int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t != 7) s[t] = 2 * t;
    __syncthreads();
    int at = half(s[t]); //~ I001
    y[t] = x[at & 63];
}
