// The block's own counters are counted in before all of them are zero.
// launch: grid 1 block 64
// in a: i32 64 = i * 7 % 64
// out bins: i32 64
// finding: R001
extern "C" __global__ void histogram(const int *a, int *bins) {
    __shared__ int own[64];
    int t = threadIdx.x;
    own[t] = 0; //~ R001
    atomicAdd(&own[a[t]], 1); //~ R001
    __syncthreads();
    bins[t] = own[t];
}
