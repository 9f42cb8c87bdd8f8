// A launch that is refused, looked at, and made again with leave for as much shared memory: that is no mistake.
#include <cstdio>

extern __shared__ int numbers[];

__global__ void reversed(int *out) {
    numbers[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = numbers[blockDim.x - 1 - threadIdx.x];
}

int main() {
    const int bytes = 60000;
    int *out, first;
    cudaMalloc(&out, 32 * sizeof(int));
    reversed<<<1, 32, bytes>>>(out);
    if (cudaGetLastError() != cudaSuccess) {
        printf("asks for leave\n");
        cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        reversed<<<1, 32, bytes>>>(out);
    }
    cudaMemcpy(&first, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", first);
    cudaFree(out);
}
