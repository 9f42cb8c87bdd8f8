// Variables of kernels are copied like memory of the host: the host has no address of theirs.
#include <cstdio>

__constant__ float factors[4];
__device__ float offsets[4];

__global__ void apply(float *out) { out[threadIdx.x] = factors[threadIdx.x] + offsets[threadIdx.x]; }

int main() {
    float x[4] = {1, 2, 3, 4}, *d_x;
    cudaMalloc(&d_x, sizeof(x));
    cudaMemcpy(factors, x, sizeof(x), cudaMemcpyHostToDevice); //~ A002
    cudaMemcpy(x, offsets, sizeof(x), cudaMemcpyDeviceToHost); //~ A002
    cudaMemcpyToSymbol(factors, x, sizeof(x));
    cudaMemcpyToSymbol(offsets, x, sizeof(x));
    apply<<<1, 4>>>(d_x);
    cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost);
    printf("%g %g\n", x[0], x[3]);
    cudaFree(d_x);
    return 0;
}
