// A scan whose blocks look back at their neighbours' sums, with fences.
// launch: grid 5 block 32
// in a: i32 160 = i
// inout state: i32 5 = 0
// inout sums: i32 5 = 0
// out y: i32 160
// expect y[i] = i * (i + 1) / 2
extern "C" __global__ void scan(const int *a, volatile int *state, int *sums, int *y) {
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x, value = a[b * 32 + t];
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, value, step);
        value += t >= step ? other : 0;
    }
    if (t == 31) {
        int sum = 0;
        if (b > 0) {
            while (state[b - 1] == 0) {
            }
            __threadfence();
            sum = sums[b - 1];
        }
        before = sum;
        sums[b] = sum + value;
        __threadfence();
        state[b] = 1;
    }
    __syncthreads();
    y[b * 32 + t] = before + value;
}
