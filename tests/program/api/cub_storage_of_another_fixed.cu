// One piece of memory that is large enough for both.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 3000;
    int *in, *out, *sum;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < n; i++) in[i] = n - i;
    void *storage = nullptr;
    size_t bytes = 0, of_sort = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in, sum, n);
    cub::DeviceRadixSort::SortKeys(nullptr, of_sort, in, out, n, 0, 8);
    bytes = of_sort > bytes ? of_sort : bytes;
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n, 0, 8);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", *sum, out[0], out[n - 1]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sum);
    cudaFree(storage);
}
