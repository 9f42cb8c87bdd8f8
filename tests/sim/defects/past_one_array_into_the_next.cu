// Behind one shared array lies another: what is read there is not what is meant.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: M005
// names: first
extern "C" __global__ void next(const int *a, int *y) {
    __shared__ int first[32];
    __shared__ int second[32];
    int t = threadIdx.x;
    first[t] = a[t];
    second[t] = 2 * a[t];
    __syncthreads();
    y[t] = first[t + 1] + second[t]; //~ M005
}
