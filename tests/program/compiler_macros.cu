// What programs ask to know their compiler and their system.
#include <cstdio>
#ifdef __NVCC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
#if defined(__linux__) && defined(__unix__)
#include <unistd.h>
#elif defined(_WIN32)
#error "no Windows"
#else
#error "no system"
#endif

BOTH int twice(int x) { return 2 * x; }

__global__ void k(int *out) { *out = twice(21); }

int main() {
    int *out;
    cudaMallocManaged(&out, sizeof(int));
    k<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("__NVCC__: %d %d\n", *out, twice(4));
    cudaFree(out);
    return 0;
}
