//! A transpose that writes down columns, and one by tiles through shared memory.
//! floats: 4194304 1 4194304
//! slow: grid 64 256 block 32 8
//! fast: grid 64 64 block 32 8
//! n: 2048

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    c[x * n + y] = a[y * n + x];
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) c[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
