// A selection whose result begins within its input: other blocks may not have read yet what it overwrites.
#include <cub/cub.cuh>
#include <cstdio>

int main() {
    const int n = 100;
    int *x, *count;
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    for (int i = 0; i < n; i++) x[i] = i / 3;
    void *storage = nullptr;
    size_t bytes = 0;
    cub::DeviceSelect::Unique(storage, bytes, x, x, count, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceSelect::Unique(storage, bytes, x, x, count, n); //~ A014
    cudaDeviceSynchronize(); //~ R002 at 0
    puts("done");
    cudaFree(x);
    cudaFree(count);
    cudaFree(storage);
}
