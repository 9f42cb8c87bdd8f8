// Each stream and event of a loop is destroyed.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }

int main() {
    const int rounds = 3, n = 32;
    int *x;
    CHECK(cudaMallocManaged(&x, n * sizeof(int)));
    for (int i = 0; i < n; i++) x[i] = i;
    for (int round = 0; round < rounds; round++) {
        cudaStream_t stream;
        cudaEvent_t done;
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&done));
        add<<<1, n, 0, stream>>>(x, 100);
        CHECK(cudaEventRecord(done, stream));
        CHECK(cudaEventSynchronize(done));
        CHECK(cudaEventDestroy(done));
        CHECK(cudaStreamDestroy(stream));
    }
    printf("%d\n", x[5]);
    CHECK(cudaFree(x));
}
