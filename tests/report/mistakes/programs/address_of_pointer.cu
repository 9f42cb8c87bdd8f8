#include <cstdio>
__global__ void add(float *x) { x[threadIdx.x] += 1; }
int main() {
    float *d;
    cudaMalloc(d, 400);
    add(d);
    cudaMemCpy(d, d, 4, cudaMemcpyDefault);
}
