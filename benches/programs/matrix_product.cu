// Products of square matrices, by tiles in shared memory: `matrix_product SIZE LAUNCHES`.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int n = atoi(argv[1]), launches = atoi(argv[2]);
    size_t bytes = (size_t)n * n * sizeof(float);
    float *host = (float *)malloc(bytes);
    for (int i = 0; i < n * n; i++) host[i] = i % 7;
    float *a, *b, *c;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < launches; i++) multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
    cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);
    // The element in row 1 and column 1.
    float expected = 0;
    for (int k = 0; k < n; k++) expected += (float)((n + k) % 7) * (float)((k * n + 1) % 7);
    printf(host[n + 1] == expected ? "right\n" : "wrong\n");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    free(host);
}
