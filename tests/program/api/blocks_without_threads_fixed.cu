// The number of blocks is divided by the threads of a block, rounded up.
#include <cstdio>

#define BLOCK 32
#define BLOCKS_FOR(n, block) (((n) + (block) - 1) / (block))

__global__ void fill(int *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = i;
}

int main() {
    const int n = 100;
    int *d_out, last = -1;
    if (cudaMalloc(&d_out, n * sizeof(int)) != cudaSuccess) return 1;
    printf("%.2f\n", 1.0 / (BLOCK - 28) + BLOCKS_FOR(n, 50));
    fill<<<BLOCKS_FOR(n, BLOCK), BLOCK>>>(d_out, n);
    cudaMemcpy(&last, d_out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(d_out);
}
