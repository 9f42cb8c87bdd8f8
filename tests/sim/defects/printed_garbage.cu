// A sum that one thread never stored is printed.
// launch: grid 1 block 32
// arg n: i32 = 1
// print: sum -67372037
// finding: I001
extern "C" __global__ void show(int n) {
    __shared__ int sums[32];
    int t = threadIdx.x;
    if (t >= n) sums[t] = t;
    __syncthreads();
    if (t == 0) printf("sum %d\n", sums[t]); //~ I001
}
