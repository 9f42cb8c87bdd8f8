// The buffer is freed after its last use.
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

__global__ void add(const int *a, int *b) { b[threadIdx.x] += a[threadIdx.x]; }

int main(void) {
    const int n = 64;
    int h[n];
    for (int i = 0; i < n; i++) h[i] = i;
    int *a, *b;
    CHECK(cudaMalloc(&a, sizeof h));
    CHECK(cudaMalloc(&b, sizeof h));
    CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice));
    add<<<1, n>>>(a, b);
    cudaError_t ran = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(ran));
    if (ran == cudaSuccess) {
        CHECK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
        printf("h[63] = %d\n", h[63]);
    }
    CHECK(cudaFree(a));
    cudaFree(b);
    return 0;
}
