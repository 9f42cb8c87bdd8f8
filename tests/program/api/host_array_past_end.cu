// The loop that prepares the data goes one too far.
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

__global__ void add(const int *a, const int *b, int *c) {
    int i = threadIdx.x;
    c[i] = a[i] + b[i];
}

int main(void) {
    const int n = 256;
    const size_t bytes = n * sizeof(int);
    int *a = (int *)malloc(bytes), *b = (int *)malloc(bytes), *c;
    for (int i = 0; i <= n; i++) a[i] = i; //~ H001
    for (int i = 0; i < n; i++) b[i] = 10 * i;
    int *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMallocManaged(&c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    add<<<1, n>>>(d_a, d_b, c);
    CHECK(cudaDeviceSynchronize());
    printf("c[255] = %d\n", c[255]);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(c));
    free(a);
    free(b);
    return 0;
}
