// The carry of a round is replaced after all have read it.
// launch: grid 1 block 64
// in a: i32 192 = 1
// out y: i32 192
// expect y[i] = i / 64 * 64
extern "C" __global__ void rounds(const int *a, int *y) {
    __shared__ int carry;
    int t = threadIdx.x;
    if (t == 0) {
        carry = 0;
    }
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        y[k * 64 + t] = carry;
        __syncthreads();
        int count = __syncthreads_count(a[k * 64 + t]);
        if (t == 63) {
            carry += count;
        }
        __syncthreads();
    }
}
