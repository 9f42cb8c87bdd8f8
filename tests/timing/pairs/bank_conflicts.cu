//! Columns of a tile read again and again: all in one bank, and each in its own.
//! floats: 1048576 1 1048576
//! slow: grid 1024 1 block 32 32
//! fast: grid 1024 1 block 32 32
//! n: 1048576

template <int WIDTH> __device__ void sums(const float *a, float *c) {
    __shared__ float tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * 32 + y) * 32 + x;
    tile[y][x] = a[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += tile[x][(y + k) % 32];
    c[i] = sum;
}
extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) { sums<32>(a, c); }
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) { sums<33>(a, c); }
