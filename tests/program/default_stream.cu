// What the legacy default stream orders, and what it does not.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void append(int *log, int *count, int number) { log[(*count)++] = number; }

int main() {
    int *log, *count;
    CHECK(cudaMallocManaged(&log, 16 * sizeof(int)));
    CHECK(cudaMallocManaged(&count, sizeof(int)));
    *count = 0;
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    append<<<1, 1, 0, a>>>(log, count, 1);
    append<<<1, 1>>>(log, count, 2);
    append<<<1, 1, 0, b>>>(log, count, 3);
    append<<<1, 1, 0, cudaStreamLegacy>>>(log, count, 4);
    append<<<1, 1, 0, a>>>(log, count, 5);
    CHECK(cudaStreamSynchronize(a));
    for (int i = 0; i < *count; i++) printf("%d ", log[i]);
    printf("\n");
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(log));
    CHECK(cudaFree(count));
}
