// The last thread has no neighbour.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// expect y[i] = i < 31 ? 3 * i + 1 : 2 * i
extern "C" __global__ void next(const int *a, int *y) {
    __shared__ int first[32];
    __shared__ int second[32];
    int t = threadIdx.x;
    first[t] = a[t];
    second[t] = 2 * a[t];
    __syncthreads();
    y[t] = (t < 31 ? first[t + 1] : 0) + second[t];
}
