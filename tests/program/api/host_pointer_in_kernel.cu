// The kernel is given the host's array.
// as: t4
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

__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f; //~ M009
}

int main(void) {
    const int n = 200;
    float *h_x = (float *)malloc(n * sizeof(float)), *d_x;
    for (int i = 0; i < n; i++) h_x[i] = i;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMemcpy(d_x, h_x, n * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<2, 128>>>(h_x, n);
    cudaError_t ran = cudaMemcpy(h_x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(ran));
    printf("h_x[199] = %.0f\n", h_x[199]);
    free(h_x);
    cudaFree(d_x);
    CHECK(cudaDeviceReset());
    return 0;
}
