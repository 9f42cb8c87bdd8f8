// The vector ends with its scope, before the GPU is reset.
#include <cstdio>
#include <thrust/device_vector.h>
#include <cuda_runtime.h>

int main() {
    int *first, *second, value;
    {
        thrust::device_vector<int> ones(100, 1);
        value = ones[7];
    }
    cudaMalloc(&first, sizeof(int));
    cudaFree(first);
    cudaMalloc(&second, sizeof(int));
    cudaFree(second);
    printf("%d\n", value);
    cudaDeviceReset();
}
