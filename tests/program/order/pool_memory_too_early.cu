// Memory is allocated on one stream and used on another that does not wait for the allocation.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void iota(int *x) { x[threadIdx.x] = threadIdx.x; }

int main() {
    cudaStream_t one, two;
    cudaEvent_t made;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    int *x, host[128];
    CHECK(cudaMallocAsync(&x, sizeof host, one));
    CHECK(cudaEventRecord(made, one));
    iota<<<1, 128, 0, two>>>(x); //~ O006
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    printf("last: %d\n", host[127]);
    CHECK(cudaFree(x));
    CHECK(cudaEventDestroy(made));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
}
