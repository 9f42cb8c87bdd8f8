//! A histogram of 64 bins with atomics on global memory, and privatised in shared memory.
//! floats: 1048576 1 64
//! slow: grid 4096 1 block 256 1
//! fast: grid 256 1 block 256 1
//! n: 1048576

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd((int *)c + (int)(a[i] * 64) % 64, 1);
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ int bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[(int)(a[i] * 64) % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd((int *)c + threadIdx.x, bins[threadIdx.x]);
}
