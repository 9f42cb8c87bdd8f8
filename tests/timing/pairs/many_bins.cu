//! A histogram of 2,048 bins by atomics on global memory, and privatised in shared memory.
//! floats: 4194304 1 2048
//! slow: grid 16384 1 block 256 1
//! fast: grid 264 1 block 1024 1
//! held: out
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd((int *)c + (int)(a[i] * 2048), 1);
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ int bins[2048];
    for (int i = threadIdx.x; i < 2048; i += 1024) bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[(int)(a[i] * 2048)], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += 1024) atomicAdd((int *)c + i, bins[i]);
}
