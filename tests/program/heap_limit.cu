// The heap of kernels is as large as the program asks for, before the first kernel that uses it.
#include <cstdio>

__global__ void take(size_t bytes, int *got) {
    char *block = static_cast<char *>(malloc(bytes));
    *got = block != nullptr;
    free(block);
}

int main() {
    int *got;
    cudaMallocManaged(&got, sizeof(int));
    size_t limit = 0;
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    printf("at first %zu MiB\n", limit >> 20);
    printf("set: %s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64u << 20)));
    take<<<1, 1>>>(16u << 20, got);
    cudaDeviceSynchronize();
    printf("16 MiB: %d\n", *got);
    printf("again: %s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8u << 20)));
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    printf("now %zu MiB\n", limit >> 20);
    cudaFree(got);
    return 0;
}
