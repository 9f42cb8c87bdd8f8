// Peer access opens what cudaMalloc() gave, not memory of pools: that needs cudaMemPoolSetAccess().
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

__global__ void set(int *p) { p[threadIdx.x] = 7; } //~ M008

int main(void) {
    cudaStream_t stream;
    int *p;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&p, 32 * sizeof(int), stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    set<<<1, 32>>>(p);
    cudaError_t ran = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(ran));
    // The context is lost, and with it all of CUDA for this process: there is nothing to give back.
    return ran != cudaErrorIllegalAddress;
}
