// One scratch element serves twice, with a barrier between the uses.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = 63 + 2016 - i
extern "C" __global__ void both(const int *a, int *y) {
    __shared__ int s;
    int t = threadIdx.x;
    if (t == 0) {
        s = 0;
        for (int k = 0; k < 64; k++) {
            s = a[k] > s ? a[k] : s;
        }
    }
    __syncthreads();
    int most = s;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++) {
            sum += a[k];
        }
        s = sum;
    }
    __syncthreads();
    y[t] = most + s - a[t];
}
