// Behind a barrier they may.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = i == 3 ? 9 : 7
extern "C" __global__ void keep(int *y) {
    __shared__ int own[4];
    int t = threadIdx.x;
    if (t == 40)
        own[t - 38] = 9;
    __syncthreads();
    int v = t == 3 ? own[2] : 7;
    y[t] = v;
}
