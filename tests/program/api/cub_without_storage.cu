// The second call is given a null pointer too: CUB only says again how much storage it needs, and the sum is never written.
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
    cub::DeviceReduce::Sum(storage, bytes, in, sum, n);
    cudaMemcpy(&found, sum, sizeof(int), cudaMemcpyDeviceToHost); //~ I001
    cudaFree(in);
    cudaFree(sum);
    puts("done");
}
