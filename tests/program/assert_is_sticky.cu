// A failed assertion loses the context: every later call says so.
#include <cassert>
#include <cstdio>

__global__ void wrong(int *x) { assert(x[threadIdx.x] == (int)threadIdx.x); } //~ T002

int main() {
    int *x;
    cudaMallocManaged(&x, 32 * sizeof(int));
    for (int i = 0; i < 32; i++) x[i] = i == 7 ? -1 : i;
    wrong<<<1, 32>>>(x);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    void *p = nullptr;
    printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 16)));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("still: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
