// The host copies to constant memory.
#include <cstdio>

__constant__ float weights[4];

__global__ void scale(float *out) {
    out[threadIdx.x] = weights[threadIdx.x];
}

int main() {
    float h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpyToSymbol(weights, h, sizeof h);
    scale<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[3]);
    cudaFree(d);
}
