// devices: 2
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *data, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value + i;
}

int main() {
    const int n = 256;
    int *a, *b, *host = new int[n];
    cudaSetDevice(0);
    cudaMalloc(&a, n * sizeof(int));
    cudaSetDevice(1);
    cudaMalloc(&b, n * sizeof(int));
    fill<<<1, n>>>(b, 7, n);
    cudaSetDevice(0);
    fill<<<1, n>>>(a, 1000, n);
    cudaSetDevice(1);
    cudaMemcpyPeer(b, 1, a, 0, n * sizeof(int));
    cudaMemcpy(host, b, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[n - 1]);
    cudaFree(b);
    cudaSetDevice(0);
    cudaFree(a);
    delete[] host;
    return 0;
}
