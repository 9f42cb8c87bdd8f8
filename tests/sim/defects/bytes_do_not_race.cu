// Neighbouring bytes of one word are different places.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = 63 - i
extern "C" __global__ void bytes(int *y) {
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    y[t] = s[63 - t];
}
