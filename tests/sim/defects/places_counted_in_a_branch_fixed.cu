// All count together; those who keep a value use what came out.
// launch: grid 1 block 64
// in a: i32 64 = i % 2
// inout y: i32 64 = 0
// expect y[i] = i == 0 ? 1 : 0
__device__ int before(int value) {
    __shared__ int s[64];
    s[threadIdx.x] = value;
    __syncthreads();
    int sum = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0;
    __syncthreads();
    return sum;
}
extern "C" __global__ void keep(const int *a, int *y) {
    int keeps = a[threadIdx.x] > 0;
    int place = before(keeps);
    if (keeps && threadIdx.x == 1)
        y[place] = 1;
}
