// The stream is waited for, then destroyed.
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

__global__ void fill(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main(void) {
    const int n = 1024;
    int *d;
    cudaStream_t stream;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    fill<<<n / 128, 128, 0, stream>>>(d, 7);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    int last;
    CHECK(cudaMemcpy(&last, d + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    printf("last = %d\n", last);
    CHECK(cudaFree(d));
    return 0;
}
