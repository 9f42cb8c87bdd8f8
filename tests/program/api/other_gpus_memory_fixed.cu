// The second GPU is given access to the memory of the first.
// devices: 2
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

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x * 3; }
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }

int main(void) {
    const int n = 96;
    int *a, *b, last;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    fill<<<1, n>>>(a);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    copy<<<1, n>>>(a, b);
    cudaError_t ran = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(ran));
    if (ran == cudaSuccess) {
        CHECK(cudaMemcpy(&last, b + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
        printf("last = %d\n", last);
    }
    CHECK(cudaFree(b));
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(a));
    return 0;
}
