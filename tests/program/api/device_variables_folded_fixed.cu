// The host copies variables of the device, and uses names of its own that are the same.
#include <cstdio>

__device__ int factor = 5;
__device__ int count;

__global__ void scale(int *out) {
    out[threadIdx.x] = factor * threadIdx.x;
}

struct Sum {
    int count = 0;
};

int main() {
    int h[4], *d, factor = 0;
    Sum sum;
    cudaMalloc(&d, sizeof h);
    cudaMemcpyFromSymbol(&factor, ::factor, sizeof factor);
    scale<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    sum.count = factor;
    cudaMemcpyToSymbol(count, &sum, sizeof(count));
    printf("%d %d %d\n", factor, sum.count, h[3]);
    cudaFree(d);
}
