// The variable is named by a text, as before CUDA 5.
#include <cstdio>

__constant__ int scales[4];

__global__ void scale(int *out) {
    out[threadIdx.x] = scales[threadIdx.x];
}

int main() {
    int h[4] = {1, 2, 3, 4}, *out;
    cudaMalloc(&out, sizeof h);
    cudaMemcpyToSymbol("scales", h, sizeof h);
    scale<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
