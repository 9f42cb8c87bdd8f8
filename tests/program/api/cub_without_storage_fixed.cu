// The storage is allocated between the two calls.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 3000;
    int *in, *sum, found;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    void *storage = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cudaMemcpy(&found, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(sum);
    cudaFree(storage);
    printf("%d\n", found);
}
