// One byte of a word is set, and that one decides.
// launch: grid 1 block 32
// inout y: i32 32 = 0
// expect y[i] = 31 - i > 20 ? 1 : 0
extern "C" __global__ void low(int *y) {
    __shared__ unsigned words[32];
    int t = threadIdx.x;
    ((volatile unsigned char *)&words[t])[0] = t;
    __syncthreads();
    if ((words[31 - t] & 0xff) > 20) atomicAdd(&y[t], 1);
}
