// The result has memory of its own.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 100;
    int *x, *y, *count;
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&y, n * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    for (int i = 0; i < n; i++) x[i] = i / 3;
    void *storage = nullptr;
    size_t bytes = 0;
    cub::DeviceSelect::Unique(storage, bytes, x, y, count, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceSelect::Unique(storage, bytes, x, y, count, n);
    cudaDeviceSynchronize();
    printf("%d, the last is %d\n", *count, y[*count - 1]);
    cudaFree(x);
    cudaFree(y);
    cudaFree(count);
    cudaFree(storage);
}
