// What can't be had is answered as on any machine: a null pointer, cudaErrorMemoryAllocation.
#include <cerrno>
#include <cstdio>
#include <cstdlib>

int main() {
    void *p = malloc(1ull << 40);
    printf("%s, %d\n", p ? "memory" : "none", errno == ENOMEM);
    printf("%s\n", calloc(1ull << 20, 1ull << 20) ? "memory" : "none");
    char *small = (char *)malloc(8);
    small[7] = 42;
    printf("%s, %d kept\n", realloc(small, 1ull << 40) ? "memory" : "none", small[7]);
    free(small);
    float *device = nullptr;
    cudaError_t status = cudaMalloc(&device, 1ull << 40);
    printf("%s, %s\n", cudaGetErrorName(status), device ? "memory" : "none");
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%s\n", cudaGetErrorName(cudaMalloc(&device, 1 << 20)));
    return cudaFree(device);
}
