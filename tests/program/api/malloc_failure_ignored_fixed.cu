// The allocation's result is looked at, and a smaller one is tried.
#include <stdio.h>

__global__ void fill(char *x, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (x && i < n) x[i] = 1;
}

int main(void) {
    size_t n = (size_t)1 << 42;
    char *d = NULL;
    while (cudaMalloc(&d, n) != cudaSuccess) {
        cudaGetLastError();
        n = n > ((size_t)1 << 20) ? (size_t)1 << 20 : n / 2;
    }
    fill<<<4, 256>>>(d, n);
    cudaDeviceSynchronize();
    char first = 0;
    cudaMemcpy(&first, d, 1, cudaMemcpyDeviceToHost);
    printf("first = %d\n", first);
    cudaFree(d);
    return 0;
}
