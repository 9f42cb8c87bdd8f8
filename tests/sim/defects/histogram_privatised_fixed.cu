// A barrier stands between setting the block's counters to zero and counting.
// launch: grid 1 block 64
// in a: i32 64 = i * 7 % 64
// out bins: i32 64
// expect bins[i] = 1
extern "C" __global__ void histogram(const int *a, int *bins) {
    __shared__ int own[64];
    int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    atomicAdd(&own[a[t]], 1);
    __syncthreads();
    bins[t] = own[t];
}
