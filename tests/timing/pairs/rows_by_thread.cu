//! Sums of rows, a row by each thread, and by each warp.
//! floats: 4194304 1 4096
//! slow: grid 16 1 block 256 1
//! fast: grid 512 1 block 256 1
//! n: 1024

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k];
    c[row] = sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < n; k += 32) sum += a[row * n + k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) c[row] = sum;
}
