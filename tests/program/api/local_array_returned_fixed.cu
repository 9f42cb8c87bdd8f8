// The caller gives the array, the function fills it.
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

__noinline__ void weights(float *w, int n) {
    for (int i = 0; i < n; i++) w[i] = 1.0f / (1 << i);
}

__global__ void total(const float *w, int n, float *sum) {
    *sum = 0;
    for (int i = 0; i < n; i++) *sum += w[i];
}

int main(void) {
    const int n = 16;
    float w[n], *managed, *sum;
    weights(w, n);
    CHECK(cudaMallocManaged(&managed, n * sizeof(float)));
    CHECK(cudaMallocManaged(&sum, sizeof(float)));
    for (int i = 0; i < n; i++) managed[i] = w[i];
    total<<<1, 1>>>(managed, n, sum);
    CHECK(cudaDeviceSynchronize());
    printf("sum = %.4f\n", *sum);
    CHECK(cudaFree(managed));
    CHECK(cudaFree(sum));
    return 0;
}
