// Two halves on two streams; the host waits for both before it adds them up.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void squares(int *x, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (first + i) * (first + i);
}

int main() {
    const int n = 512, half = n / 2;
    int *device, *host;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    cudaStream_t streams[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamCreate(&streams[k]));
        squares<<<2, 128, 0, streams[k]>>>(device + k * half, k * half, half);
        CHECK(cudaMemcpyAsync(host + k * half, device + k * half, half * sizeof(int), cudaMemcpyDeviceToHost, streams[k]));
    }
    CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(cudaStreamSynchronize(streams[1]));
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
    printf("sum of squares: %lld\n", sum);
    for (auto stream : streams) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}
