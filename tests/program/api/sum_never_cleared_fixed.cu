// The counter is set to zero before the kernel adds to it.
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

__global__ void count_odd(const int *x, int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 2) atomicAdd(count, 1);
}

int main(void) {
    const int n = 500;
    int h[n], *x, *count, result;
    for (int i = 0; i < n; i++) h[i] = i * i;
    CHECK(cudaMalloc(&x, sizeof h));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    count_odd<<<4, 128>>>(x, n, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, count, sizeof(int), cudaMemcpyDeviceToHost));
    printf("counted %d\n", result);
    CHECK(cudaFree(x));
    CHECK(cudaFree(count));
    return 0;
}
