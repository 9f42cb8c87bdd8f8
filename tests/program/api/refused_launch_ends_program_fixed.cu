// Blocks of 500 threads are within the limit.
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
    float *d_x;
    CHECK(cudaMalloc(&d_x, 4000 * sizeof(float)));
    CHECK(cudaMemset(d_x, 0, 4000 * sizeof(float)));
    scale<<<8, 500>>>(d_x, 4000);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(d_x));
    printf("done\n");
}
