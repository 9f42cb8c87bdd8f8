// exit: 1
// The sum is to go to a variable of the host, which kernels can't write.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 3000;
    int *in, sum = 0;
    cudaMallocManaged(&in, n * sizeof(int));
    for (int i = 0; i < n; i++) in[i] = 1;
    void *storage = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, in, &sum, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, in, &sum, n); //~ M009 at 0
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%d\n", sum);
    cudaFree(in);
    cudaFree(storage);
}
