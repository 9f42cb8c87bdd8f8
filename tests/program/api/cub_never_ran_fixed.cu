// The storage is allocated between the two calls.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 3000;
    int *in, *sum;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < n; i++) in[i] = 1;
    *sum = 0;
    void *storage;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in, sum, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cudaDeviceSynchronize();
    printf("%d\n", *sum);
    cudaFree(in);
    cudaFree(sum);
    cudaFree(storage);
}
