// No call has storage, so none does its work; the sum keeps the value that was set before.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 3000;
    int *in, *sum;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < n; i++) in[i] = 1;
    *sum = 0;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in, sum, n);
    cub::DeviceReduce::Sum(nullptr, bytes, in, sum, n); //~ A016
    cudaDeviceSynchronize();
    printf("%d\n", *sum);
    cudaFree(in);
    cudaFree(sum);
}
