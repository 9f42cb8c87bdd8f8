//! A sum with an atomic for every thread, and with one for every block.
//! floats: 1048576 1 1
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 1048576

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(c, a[i]);
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) atomicAdd(c, s[0]);
}
