// The helper is called by the kernel; the host gives it an index of its own.
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

__host__ __device__ int mix(int seed, int i) { return (seed * 31 + i) % 101; }

__global__ void fill(int *x) { x[threadIdx.x] = mix(5, threadIdx.x); }

int main(void) {
    int *x;
    CHECK(cudaMallocManaged(&x, 64 * sizeof(int)));
    fill<<<1, 64>>>(x);
    CHECK(cudaDeviceSynchronize());
    printf("on the device: %d\n", x[0]);
    printf("on the host: %d\n", mix(5, 0));
    CHECK(cudaFree(x));
    return 0;
}
