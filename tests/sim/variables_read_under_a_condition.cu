// One thread keeps to itself what is shared: where the compiler loads it for all and then chooses, the others
// have not read it.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = i == 40 ? 2 : 7
extern "C" __global__ void keep(int *y) {
    __shared__ int own[4];
    int t = threadIdx.x;
    if (t < 4)
        own[t] = t;
    __syncthreads();
    int v = t == 40 ? own[2] : 7;
    y[t] = v;
    if (t == 40)
        own[2] = v + 1;
}
