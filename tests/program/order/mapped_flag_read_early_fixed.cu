// A kernel counts straight into mapped host memory; the host waits for an event behind the kernel.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void count_even(int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == 0) atomicAdd(count, 1);
}

int main() {
    int *count, *view;
    CHECK(cudaHostAlloc(&count, sizeof(int), cudaHostAllocMapped));
    *count = 0;
    CHECK(cudaHostGetDevicePointer(&view, count, 0));
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    count_even<<<4, 256>>>(1000, view);
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventSynchronize(done));
    int seen = *count;
    printf("%d even numbers\n", seen);
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFreeHost(count));
}
