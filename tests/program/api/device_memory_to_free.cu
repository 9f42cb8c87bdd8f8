// free() is given memory that cudaMalloc() gave.
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

__global__ void iota(int *x) { x[threadIdx.x] = threadIdx.x; }

int main(void) {
    const int n = 48;
    int *h = (int *)malloc(n * sizeof(int)), *d;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    iota<<<1, n>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("h[47] = %d\n", h[47]);
    free(h);
    free(d); //~ H004
    return 0;
}
