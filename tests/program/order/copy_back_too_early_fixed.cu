// Kernels run on two streams; the copy back waits for both.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void fill(float *x, int n, float value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

int main() {
    const int n = 512, half = n / 2;
    float *x, *host;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMallocHost(&host, n * sizeof(float)));
    cudaStream_t left, right;
    CHECK(cudaStreamCreate(&left));
    CHECK(cudaStreamCreate(&right));
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    fill<<<1, half, 0, left>>>(x, half, 1);
    fill<<<1, half, 0, right>>>(x + half, half, 2);
    CHECK(cudaEventRecord(done, right));
    CHECK(cudaStreamWaitEvent(left, done, 0));
    CHECK(cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, left));
    CHECK(cudaStreamSynchronize(left));
    CHECK(cudaStreamSynchronize(right));
    printf("%g %g\n", host[0], host[n - 1]);
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(left));
    CHECK(cudaStreamDestroy(right));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(x));
}
