// The host reads a __device__ variable by its name.
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

__device__ int matches = 0;

__global__ void count(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 7 == 0) atomicAdd(&matches, 1);
}

int main(void) {
    count<<<4, 256>>>(1000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%d matches\n", matches); //~ H007
    return 0;
}
