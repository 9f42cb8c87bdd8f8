// Each copy says which way it goes.
#include <stdio.h>
#include <stdlib.h>

__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
    const int n = 64;
    int h[n];
    for (int i = 0; i < n; i++) h[i] = i;
    int *d;
    if (cudaMalloc(&d, sizeof h) != cudaSuccess) return 1;
    if (cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    square<<<1, n>>>(d);
    if (cudaGetLastError() != cudaSuccess) return 1;
    cudaError_t back = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s, h[9] = %d\n", cudaGetErrorName(back), h[9]);
    if (cudaFree(d) != cudaSuccess) return 1;
    return 0;
}
