// A barrier stands after the last step, before the sum is read.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = 2016
extern "C" __global__ void sum(const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step) {
            s[t] += s[t + step];
        }
        __syncthreads();
    }
    y[t] = s[0];
}
