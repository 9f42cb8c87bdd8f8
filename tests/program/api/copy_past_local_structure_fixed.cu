// A copy to a local structure brings as much as it has.
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
    cudaMemcpy(&row, d, sizeof row, cudaMemcpyDeviceToHost);
    printf("%g\n", row.of[7]);
    cudaFree(d);
}
