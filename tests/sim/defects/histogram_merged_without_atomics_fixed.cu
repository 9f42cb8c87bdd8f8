// Each block counts for itself with atomics, and adds its counts to all with atomics.
// launch: grid 4 block 64
// in a: i32 256 = i % 8
// inout bins: i32 8 = 0
// expect bins[i] = 32
extern "C" __global__ void histogram(const int *a, int *bins) {
    __shared__ int own[8];
    int t = threadIdx.x;
    if (t < 8) {
        own[t] = 0;
    }
    __syncthreads();
    atomicAdd(&own[a[blockIdx.x * 64 + t]], 1);
    __syncthreads();
    if (t < 8) {
        atomicAdd(&bins[t], own[t]);
    }
}
