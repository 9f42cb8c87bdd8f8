// Every value that goes through the function was stored.
// launch: grid 1 block 32
// in x: i32 64 = i
// out y: i32 32
// expect y[i] = i
__device__ __noinline__ int half(int v) { return v >> 1; }
extern "C" __global__ void through(const int *x, int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = 2 * t;
    __syncthreads();
    int at = half(s[t]);
    y[t] = x[at & 63];
}
