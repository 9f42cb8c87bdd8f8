// Lanes that wait at a barrier are named in the mask of a vote.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: B003
extern "C" __global__ void vote(const int *a, int *y) {
    int t = threadIdx.x, any = 0;
    if (a[t] >= 4)
        any = __any_sync(0xffffffff, a[t] == 9); //~ B003
    __syncthreads();
    y[t] = any;
}
