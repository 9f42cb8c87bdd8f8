//! A product of matrices in single precision, tiled with registers, and one of halves by the matrix units.
//! floats: 262144 262144 262144
//! slow: grid 8 8 block 16 16
//! fast: grid 8 8 block 128 1
//! held: out
//! n: 512

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
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

__device__ void multiply(float *d, const unsigned *l, const unsigned *r) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
}

// Four warps, each a quarter of 64 by 64 elements; words hold two halves along k. b lies column by column.
extern "C" __global__ void fast(const unsigned *a, const unsigned *b, float *c, int n) {
    __shared__ unsigned ta[64][20], tb[64][20];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, words = n / 2;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, row = warp / 2 * 32, col = warp % 2 * 32;
    float sum[2][4][4] = {};
    for (int k0 = 0; k0 < words; k0 += 16) {
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&ta[i / 4][i % 4 * 4] = *(const uint4 *)&a[(row0 + i / 4) * words + k0 + i % 4 * 4];
            *(uint4 *)&tb[i / 4][i % 4 * 4] = *(const uint4 *)&b[(col0 + i / 4) * words + k0 + i % 4 * 4];
        }
        __syncthreads();
        for (int k = 0; k < 16; k += 8) {
            unsigned l[2][4], r[4][2];
            for (int i = 0; i < 2; i++)
                for (int part = 0; part < 4; part++)
                    l[i][part] = ta[row + i * 16 + part % 2 * 8 + lane / 4][k + part / 2 * 4 + lane % 4];
            for (int j = 0; j < 4; j++)
                for (int part = 0; part < 2; part++) r[j][part] = tb[col + j * 8 + lane / 4][k + part * 4 + lane % 4];
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++) multiply(sum[i][j], l[i], r[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            int at = (row0 + row + i * 16 + lane / 4) * n + col0 + col + j * 8 + lane % 4 * 2;
            *(float2 *)&c[at] = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)&c[at + 8 * n] = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}
