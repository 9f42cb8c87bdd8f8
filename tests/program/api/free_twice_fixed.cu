// Each buffer is freed once.
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

__global__ void sum_pairs(const int *in, int *out) {
    int i = threadIdx.x;
    out[i] = in[2 * i] + in[2 * i + 1];
}

int main(void) {
    const int n = 128;
    int h[n];
    for (int i = 0; i < n; i++) h[i] = i;
    int *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n / 2 * sizeof(int)));
    CHECK(cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice));
    sum_pairs<<<1, n / 2>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in)); // no longer needed
    CHECK(cudaMemcpy(h, out, n / 2 * sizeof(int), cudaMemcpyDeviceToHost));
    printf("h[10] = %d\n", h[10]);
    CHECK(cudaFree(out));
    return 0;
}
