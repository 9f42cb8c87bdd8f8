// The vector ends with main(), behind the reset of the GPU that its memory was on.
#include <cstdio>
#include <thrust/device_vector.h>
#include <cuda_runtime.h>

int main() {
    thrust::device_vector<int> ones(100, 1);
    int *first, *second, value = ones[7];
    cudaMalloc(&first, sizeof(int));
    cudaFree(first);
    cudaMalloc(&second, sizeof(int));
    cudaFree(second);
    printf("%d\n", value);
    cudaDeviceReset(); //~ A006
}
