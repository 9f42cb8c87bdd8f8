// Memory is allocated once and used in every step.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void set(int *x, int value) { x[threadIdx.x] = value; }

int main() {
    const int size = 64;
    int *d = nullptr, x[size], total = 0;
    CHECK(cudaMalloc(&d, sizeof x));
    for (int step = 1; step <= 5; step++) {
        set<<<1, size>>>(d, step);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost));
        total += x[size - 1];
    }
    printf("total = %d\n", total);
    CHECK(cudaFree(d));
    return 0;
}
