//! A tiled product of matrices, one element a thread, and with four by four elements a thread.
//! floats: 1048576 1048576 1048576
//! slow: grid 32 32 block 32 32
//! fast: grid 16 16 block 16 16
//! n: 1024

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[32][32], tb[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 32) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][65], tb[16][64];
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            tb[i / 64][i % 64] = b[(k0 + i / 64) * n + col0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float u[4], v[4];
            for (int i = 0; i < 4; i++) { u[i] = ta[k][y * 4 + i]; v[i] = tb[k][x + 16 * i]; }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(row0 + y * 4 + i) * n + col0 + x + 16 * j] = sum[i][j];
}
