// One scratch element serves for the largest and for the sum, with no barrier before the second.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// finding: R001
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
    int most = s; //~ R001
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++) {
            sum += a[k];
        }
        s = sum; //~ R001
    }
    __syncthreads();
    y[t] = most + s - a[t];
}
