// Copies and kernels of chunks on several streams, over pinned memory.
#include <cstdio>
#include <cmath>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void gaussian(float *x, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) x[i] = expf(-0.5f * x[i] * x[i]);
}

int main() {
    const int n = 1 << 16, chunks = 8, streams = 3;
    float *h_x, *h_y, *d_x;
    CHECK(cudaHostAlloc(&h_x, n * sizeof(float), cudaHostAllocDefault));
    CHECK(cudaMallocHost(&h_y, n * sizeof(float)));
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    for (int i = 0; i < n; i++) h_x[i] = (i % 100) * 0.01f;
    cudaStream_t s[streams];
    for (auto &stream : s) CHECK(cudaStreamCreate(&stream));
    for (int c = 0; c < chunks; c++) {
        int at = c * (n / chunks);
        size_t bytes = n / chunks * sizeof(float);
        cudaStream_t stream = s[c % streams];
        CHECK(cudaMemcpyAsync(d_x + at, h_x + at, bytes, cudaMemcpyHostToDevice, stream));
        gaussian<<<16, 128, 0, stream>>>(d_x + at, n / chunks);
        CHECK(cudaMemcpyAsync(h_y + at, d_x + at, bytes, cudaMemcpyDeviceToHost, stream));
    }
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        sum += h_y[i];
        if (fabsf(h_y[i] - expf(-0.5f * h_x[i] * h_x[i])) > 1e-6f) wrong++;
    }
    printf("%d wrong, mean %.3f\n", wrong, sum / n);
    for (auto &stream : s) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(h_x));
    CHECK(cudaFreeHost(h_y));
    CHECK(cudaFree(d_x));
}
