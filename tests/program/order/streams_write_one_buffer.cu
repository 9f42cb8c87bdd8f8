// Each stream takes one chunk, but the last thread of a chunk also writes the first element of the next.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void ramp(float *x, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[first + i] = first + i;
}

int main() {
    const int chunks = 4, n = 500;
    float *x, host[chunks * n + 1] = {};
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMemset(x, 0, sizeof host));
    cudaStream_t streams[chunks];
    for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));
    for (int c = 0; c < chunks; c++) ramp<<<2, 256, 0, streams[c]>>>(x, c * n, n); //~ O003
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < chunks * n; i++) sum += host[i];
    printf("sum: %.0f\n", sum);
    for (auto &stream : streams) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}
