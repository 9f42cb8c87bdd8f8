// Two launches of one line fit.
#include <cstdio>

__global__ void fill(int *p) { p[threadIdx.x] = 1; }

int main() {
    int *p;
    if (cudaMalloc(&p, 4096) != cudaSuccess) return 1;
    fill<<<1, 32>>>(p); bool one = cudaGetLastError() != cudaSuccess; fill<<<1, 1024>>>(p);
    bool two = cudaGetLastError() != cudaSuccess;
    printf("%d %d\n", one, two);
    return cudaFree(p) != cudaSuccess;
}
