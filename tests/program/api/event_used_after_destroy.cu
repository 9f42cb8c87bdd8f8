// The elapsed time is asked for after an event of the pair is destroyed.
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

__global__ void work(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i * 0.25f;
}

int main(void) {
    float *d;
    cudaEvent_t start, stop;
    CHECK(cudaMalloc(&d, 4096 * sizeof(float)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    work<<<16, 256>>>(d);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventDestroy(start));
    float ms = -1.0f;
    cudaError_t timed = cudaEventElapsedTime(&ms, start, stop); //~ A008
    CHECK(cudaEventDestroy(stop));
    printf("timed: %s\n", timed == cudaSuccess && ms > 0.0f ? "yes" : "no");
    CHECK(cudaFree(d));
    return 0;
}
