// The host stores to constant memory by its name.
// exit: stopped
#include <cstdio>

__constant__ float weights[4];

__global__ void scale(float *out) {
    out[threadIdx.x] = weights[threadIdx.x];
}

int main() {
    float h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    for (int i = 0; i < 4; i++)
        weights[i] = h[i]; //~ H007
    scale<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[3]);
    cudaFree(d);
}
