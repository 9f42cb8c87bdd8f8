// as: t4
// A kernel that fills the GPU leaves no room for a second: streams do not make four of them faster.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void work(float *x, int rounds) {
    float v = threadIdx.x;
    for (int i = 0; i < rounds; i++) v = v * 0.999f + 1.0f;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

float milliseconds(float *x, int n, int kernels, cudaStream_t *streams, int count) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int k = 0; k < kernels; k++) work<<<n / 256, 256, 0, streams[k % count]>>>(x + k * n, 500);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms;
}

int main() {
    const int kernels = 4;
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int n = 2 * gpu.multiProcessorCount * gpu.maxThreadsPerMultiProcessor;
    float *x;
    CHECK(cudaMalloc(&x, kernels * n * sizeof(float)));
    cudaStream_t streams[kernels];
    for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));
    milliseconds(x, n, 1, streams, 1);
    float one = milliseconds(x, n, kernels, streams, 1), many = milliseconds(x, n, kernels, streams, kernels);
    float ratio = one / many;
    printf("gain of streams: %.1fx\n", ratio);
    printf("between 0.9 and 1.2: %s\n", ratio > 0.9f && ratio < 1.2f ? "yes" : "no");
    for (auto &stream : streams) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}
