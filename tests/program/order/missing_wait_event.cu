// A stream consumes what another produces; the event is recorded, but nobody waits for it.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void produce(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 3 * i;
}

__global__ void consume(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}

int main() {
    const int n = 1024;
    int *x, *y, last = -1;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMalloc(&y, n * sizeof(int)));
    cudaStream_t one, two;
    cudaEvent_t ready;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaMemset(x, 0, n * sizeof(int)));
    produce<<<4, 256, 0, one>>>(x, n);
    CHECK(cudaEventRecord(ready, one));
    consume<<<4, 256, 0, two>>>(x, y, n); //~ O003
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&last, y + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    printf("last: %d\n", last);
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}
