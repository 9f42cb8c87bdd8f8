// The sum is read while another warp may still add to it.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// finding: R001
extern "C" __global__ void sum(const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step) {
            s[t] += s[t + step]; //~ R001
        }
        if (step > 1) __syncthreads();
    }
    y[t] = s[0]; //~ R001
}
