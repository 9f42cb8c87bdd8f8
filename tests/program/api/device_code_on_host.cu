// A helper for kernels that asks which thread it is, called by the host.
// exit: stopped
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

__host__ __device__ int mix(int seed) {
    int i = threadIdx.x; //~ H008
    return (seed * 31 + i) % 101;
}

__global__ void fill(int *x) { x[threadIdx.x] = mix(5); }

int main(void) {
    int *x;
    CHECK(cudaMallocManaged(&x, 64 * sizeof(int)));
    fill<<<1, 64>>>(x);
    CHECK(cudaDeviceSynchronize());
    printf("on the device: %d\n", x[0]);
    printf("on the host: %d\n", mix(5));
    CHECK(cudaFree(x));
    return 0;
}
