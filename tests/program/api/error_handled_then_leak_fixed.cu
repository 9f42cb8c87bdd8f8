// The same, and the memory is freed.
// exit: 3
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

__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    float *d_x, *d_big;
    CHECK(cudaMalloc(&d_x, 16));
    if (cudaMalloc(&d_big, 1ull << 42) != cudaSuccess) {
        printf("smaller: %s\n", cudaGetErrorName(cudaGetLastError()));
        CHECK(cudaMemset(d_x, 0, 16));
    }
    CHECK(cudaFree(d_x));
    return 3;
}
