// A barrier brings what every thread wrote before the fence of the first one.
// launch: grid 4 block 64
// inout count: u32 1 = 0
// inout parts: i32 256 = 0
// out y: i32 64
// expect y[i] = 4 * i + 384
extern "C" __global__ void last(unsigned *count, int *parts, int *y) {
    __shared__ bool is_last;
    int t = threadIdx.x;
    parts[blockIdx.x * 64 + t] = blockIdx.x * 64 + t;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        __threadfence();
        int total = 0;
        for (int k = 0; k < gridDim.x; k++) {
            total += parts[k * 64 + t];
        }
        y[t] = total;
    }
}
