// The last warp adds up without __syncwarp(), as code from before 2017 does.
// launch: grid 1 block 32
// in a: i32 64 = i
// out y: i32 1
// finding: R001
// finding: R001
extern "C" __global__ void sum(const int *a, int *y) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t + 32] = a[t + 32];
    for (int step = 32; step > 0; step /= 2) {
        int value = s[t] + s[t + step % 64 * (t + step < 64)]; //~ R001
        s[t] = value; //~ R001
    }
    if (t == 0) {
        *y = s[0];
    }
}
