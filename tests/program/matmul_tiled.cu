// A product of matrices in tiles, a template over the tile, against one on the host.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

template <int TILE>
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float s_a[TILE][TILE];
    __shared__ float s_b[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        int ac = t * TILE + threadIdx.x, br = t * TILE + threadIdx.y;
        s_a[threadIdx.y][threadIdx.x] = row < n && ac < n ? a[row * n + ac] : 0.0f;
        s_b[threadIdx.y][threadIdx.x] = br < n && col < n ? b[br * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += s_a[threadIdx.y][k] * s_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

template <int TILE>
void multiply(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    matmul<TILE><<<grid, block>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main() {
    const int n = 50;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = (float)(i % 7) - 3.0f;
        b[i] = (float)(i % 5) - 2.0f;
    }
    float *d[3];
    for (int i = 0; i < 3; ++i) CHECK(cudaMalloc(&d[i], n * n * sizeof(float)));
    CHECK(cudaMemcpy(d[0], a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d[1], b.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    for (int tile : {8, 16, 32}) {
        CHECK(cudaMemset(d[2], 0xff, n * n * sizeof(float)));
        switch (tile) {
            case 8: multiply<8>(d[0], d[1], d[2], n); break;
            case 16: multiply<16>(d[0], d[1], d[2], n); break;
            default: multiply<32>(d[0], d[1], d[2], n);
        }
        CHECK(cudaMemcpy(c.data(), d[2], n * n * sizeof(float), cudaMemcpyDeviceToHost));
        float worst = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                float want = 0;
                for (int k = 0; k < n; ++k) want += a[i * n + k] * b[k * n + j];
                worst = fmaxf(worst, fabsf(want - c[i * n + j]));
            }
        printf("tile %2d: largest difference %g, c[0] = %g, c[last] = %g\n", tile, worst, c[0], c[n * n - 1]);
    }
    for (float *p : d) cudaFree(p);
}
