// The caller alone frees its array.
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

__global__ void cube(int *x) { x[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x] * x[threadIdx.x]; }

int *upload(const int *h, int n) {
    int *d;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice));
    return d;
}

int main(void) {
    const int n = 32;
    int *h = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) h[i] = i;
    int *d = upload(h, n), last;
    cube<<<1, n>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&last, d + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    printf("last = %d\n", last);
    CHECK(cudaFree(d));
    free(h);
    return 0;
}
