// The storage that was allocated for the sum is given to the sort too: first with the number of bytes that the sort needs
// and the memory does not have, then with the number that the memory has, which CUB refuses.
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
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cub::DeviceRadixSort::SortKeys(nullptr, of_sort, in, out, n, 0, 8);
    cub::DeviceRadixSort::SortKeys(storage, of_sort, in, out, n, 0, 8); //~ A016
    cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n, 0, 8); //~ A010
    cudaDeviceSynchronize(); //~ M001 at 0
    printf("%d\n", *sum);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sum);
    cudaFree(storage);
}
