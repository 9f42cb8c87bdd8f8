// A copy to a local structure brings twice its size: the local variable behind it is no part of it.
#include <cstdio>
#include <cuda_runtime.h>

struct Row {
    float of[8];
};

__global__ void fill(float *out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    Row row;
    float *d;
    cudaMalloc(&d, 2 * sizeof row);
    fill<<<1, 16>>>(d);
    cudaMemcpy(&row, d, 2 * sizeof row, cudaMemcpyDeviceToHost); //~ A001
    printf("%g\n", row.of[7]);
    cudaFree(d);
}
