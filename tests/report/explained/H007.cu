#include <cstdio>
__device__ int count;
__global__ void kernel() { atomicAdd(&count, 1); }
int main() {
    int host = 0;
    cudaMemcpyToSymbol(count, &host, sizeof(int));
    kernel<<<1, 32>>>();
    cudaMemcpyFromSymbol(&host, count, sizeof(int));
#ifndef FIXED
    host = count;
#endif
    printf("%d\n", host);
}
