// as: h100
// Eight kernels of one block each take about the time of one where each has a stream of its own.
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
    x[threadIdx.x] = v;
}

float milliseconds(float *x, int kernels, cudaStream_t *streams, int count) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int k = 0; k < kernels; k++) work<<<1, 128, 0, streams[k % count]>>>(x + k * 128, 50000);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms;
}

int main() {
    const int kernels = 8;
    float *x;
    CHECK(cudaMalloc(&x, kernels * 128 * sizeof(float)));
    cudaStream_t streams[kernels];
    for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));
    milliseconds(x, 1, streams, 1);
    float single = milliseconds(x, 1, streams, 1);
    float one = milliseconds(x, kernels, streams, 1), many = milliseconds(x, kernels, streams, kernels);
    float alone = one / single, beside = many / single;
    printf("8 on one stream: %.1fx the time of one, between 7.5 and 8.5: %s\n", alone,
           alone > 7.5f && alone < 8.5f ? "yes" : "no");
    printf("8 on 8 streams: %.1fx, less than 1.4: %s\n", beside, beside < 1.4f ? "yes" : "no");
    for (auto &stream : streams) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}
