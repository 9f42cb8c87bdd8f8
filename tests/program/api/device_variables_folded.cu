// The host reads and writes variables of the device whose values the compiler knows.
#include <cstdio>

__device__ int factor = 5;
__device__ int count;
__device__ const int fixed = 3;

__global__ void scale(int *out) {
    out[threadIdx.x] = factor * threadIdx.x;
}

int main() {
    int h[4], *d;
    cudaMalloc(&d, sizeof h);
    scale<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", factor); //~ H007
    count = 3; //~ H007
    printf("%d %d %d\n", count, h[3], fixed);
    cudaFree(d);
}
