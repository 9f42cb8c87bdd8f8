// A loop sets all elements that a local array has.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(const int *a, const int *b, int *sum) { sum[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
    const int n = 8;
    int a[n], b[n], sum[n];
    for (int i = 0; i < n; i++) b[i] = i;
    for (int i = 0; i < n; i++)
        a[i] = 1;
    int *d;
    cudaMalloc(&d, 3 * sizeof a);
    cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b, sizeof b, cudaMemcpyHostToDevice);
    add<<<1, n>>>(d, d + n, d + 2 * n);
    cudaMemcpy(sum, d + 2 * n, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%d\n", sum[7]);
    cudaFree(d);
}
