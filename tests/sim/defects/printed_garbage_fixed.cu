// A sum that the thread stored is printed.
// launch: grid 1 block 32
// arg n: i32 = 1
// inout y: i32 1 = 4
// expect y[i] = 4
// print: sum 0
extern "C" __global__ void show(int n, int *y) {
    __shared__ int sums[32];
    int t = threadIdx.x;
    sums[t] = t;
    __syncthreads();
    if (t == 0) printf("sum %d\n", sums[t]);
}
