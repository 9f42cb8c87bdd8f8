// The sum is printed while the copy that brings it may still be on its way.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void sum(const int *x, int n, int *total) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(total, x[i]);
}

int main() {
    const int n = 1 << 12;
    std::vector<int> values(n, 2);
    int *x, *total, *result;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMallocHost(&result, sizeof(int)));
    *result = -1;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy(x, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemsetAsync(total, 0, sizeof(int), stream));
    sum<<<8, 128, 0, stream>>>(x, n, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, total, sizeof(int), cudaMemcpyDeviceToHost, stream));
    printf("sum: %d\n", *result); //~ O001
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(result));
    CHECK(cudaFree(total));
    CHECK(cudaFree(x));
}
