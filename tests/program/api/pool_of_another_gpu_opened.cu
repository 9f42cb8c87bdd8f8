// A pool that lets another GPU use its memory.
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

__global__ void set(int *p) { p[threadIdx.x] = 7; }

int main(void) {
    cudaStream_t stream;
    int *p;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&p, 32 * sizeof(int), stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaSetDevice(1));
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    CHECK(cudaMemPoolSetAccess(pool, &access, 1));
    cudaMemAccessFlags open;
    CHECK(cudaMemPoolGetAccess(&open, pool, &access.location));
    printf("open to GPU 1: %d\n", open == cudaMemAccessFlagsProtReadWrite);
    set<<<1, 32>>>(p);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    int last;
    CHECK(cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDeviceToHost));
    printf("last = %d\n", last);
    CHECK(cudaFreeAsync(p, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}
