// What cudaMemGetInfo() calls free can be had, and only what is written takes memory of this machine.
// as: h100
// modelled: a GPU that others use has less
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            return 1;                                                                  \
        }                                                                              \
    } while (0)

__global__ void mark(char *x, size_t n) {
    x[threadIdx.x] = 1;
    x[n - 32 + threadIdx.x] = 2;
    x[n / 2 + threadIdx.x] += 3;
}

int main() {
    size_t free, all, n;
    char *x, *y, h[96];
    CHECK(cudaMemGetInfo(&free, &all));
    n = (size_t)(free * 0.9);
    CHECK(cudaMalloc(&x, n));
    printf("too much: %s\n", cudaGetErrorName(cudaMalloc(&y, free / 2)));
    cudaGetLastError();
    CHECK(cudaMemset(x + n / 2, 4, 32));
    mark<<<1, 32>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, x, 32, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h + 32, x + n - 32, 32, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h + 64, x + n / 2, 32, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", h[31], h[63], h[95]);
    CHECK(cudaFree(x));
}
