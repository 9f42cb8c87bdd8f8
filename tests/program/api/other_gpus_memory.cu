// A kernel on the second GPU reads memory of the first, without peer access.
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
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; } //~ M008

int main(void) {
    const int n = 96;
    int *a, *b, last;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    fill<<<1, n>>>(a);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    copy<<<1, n>>>(a, b);
    cudaError_t ran = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(ran));
    if (ran == cudaSuccess) {
        CHECK(cudaMemcpy(&last, b + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
        printf("last = %d\n", last);
    }
    // The context is lost, and with it all of CUDA for this process: there is nothing to give back.
    return ran != cudaErrorIllegalAddress;
}
