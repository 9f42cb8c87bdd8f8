// A specifier is that of every name of its declaration, also behind a list of initial values.
#include <cstdio>

__constant__ int ex[3] = {0, 1, 2}, ey[3] = {3, 4, 5};
__device__ int base{100}, more{1000};

__global__ void k(int *o) { o[threadIdx.x] = ex[threadIdx.x] + ey[threadIdx.x] + base + more; }

int main() {
    int *o, h[3];
    cudaMalloc(&o, sizeof h);
    k<<<1, 3>>>(o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], h[2]);
    cudaFree(o);
}
