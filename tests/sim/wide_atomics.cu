// 64-bit compare and swap and exchange, in shared and in global memory, and float exchange.
// launch: grid 1 block 64
// inout g: u64 2 = 0
// inout f: f32 1 = -1
// out y: u64 1
// expect g = 64 2016
// expect y = 2016
// expect f = 3.5
extern "C" __global__ void wide(unsigned long long *g, float *f, unsigned long long *y) {
    __shared__ unsigned long long sum;
    int t = threadIdx.x;
    if (t == 0) {
        sum = 0;
    }
    __syncthreads();
    unsigned long long seen = *(volatile unsigned long long *)&sum, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(&sum, assumed, assumed + t);
    } while (seen != assumed);
    atomicAdd(&g[0], 1ULL);
    __syncthreads();
    if (t == 3) {
        *y = atomicExch(&sum, 5ULL);
        atomicMax(&g[1], *y);
        atomicExch(f, 3.5f);
    }
}
