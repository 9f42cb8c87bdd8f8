// Pinned host memory goes back with cudaFreeHost().
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

int main(void) {
    const int n = 256;
    int *pinned, *d;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<1, n>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    printf("pinned[100] = %d\n", pinned[100]);
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(pinned));
    return 0;
}
