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
    cudaStream_t s, t;
    cudaSetDevice(0);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&a, n * sizeof(int));
    cudaSetDevice(1);
    cudaStreamCreate(&t);
    cudaMalloc(&b, n * sizeof(int));
    fill<<<1, n, 0, t>>>(b, 7, n);
    cudaSetDevice(0);
    fill<<<1, n, 0, s>>>(a, 1000, n);
    cudaMemcpyPeer(b, 1, a, 0, n * sizeof(int));
    fill<<<1, n, 0, s>>>(a, 1, n);
    cudaFree(a);
    cudaSetDevice(1);
    fill<<<1, n, 0, t>>>(b, 1, n);
    cudaStreamSynchronize(t);
    cudaMemcpy(host, b, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[n - 1]);
    cudaFree(b);
    cudaStreamDestroy(t);
    cudaSetDevice(0);
    cudaStreamDestroy(s);
    delete[] host;
    return 0;
}
