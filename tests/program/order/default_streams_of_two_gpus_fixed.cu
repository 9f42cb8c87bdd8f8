// devices: 2
// A kernel of one GPU reads what a kernel of the other has written: the host waited between them.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void put(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void twice(const int *x, int *y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }

int main() {
    int *x, *y, host[32];
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&x, sizeof host));
    put<<<1, 32>>>(x);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaMalloc(&y, sizeof host));
    twice<<<1, 32>>>(x, y);
    CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    printf("last: %d\n", host[31]);
    CHECK(cudaFree(y));
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
}
