// A way out in the middle of a function forgets the memory.
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

__global__ void halve(int *x) { x[threadIdx.x] /= 2; }

bool process(int *h, int n) {
    int *d;
    CHECK(cudaMalloc(&d, n * sizeof(int))); //~ A009
    if (n > 1024) return false;
    CHECK(cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice));
    halve<<<1, n>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    return true;
}

int main(void) {
    static int h[2048];
    for (int i = 0; i < 2048; i++) h[i] = i;
    printf("512: %d\n", process(h, 512));
    printf("2048: %d\n", process(h, 2048));
    printf("h[511] = %d\n", h[511]);
    return 0;
}
