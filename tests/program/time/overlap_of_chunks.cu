// as: t4
// The same copies and kernels one behind the other and in chunks on three streams: what is copied
// in, computed and copied out at the same time takes little more than the longest of the three.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void work(float *x, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        for (int k = 0; k < rounds; k++) v = v * 0.5f + 1.0f;
        x[i] = v;
    }
}

float run(float *h, float *d, int n, int chunks, cudaStream_t *streams, int count) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    int part = n / chunks;
    for (int c = 0; c < chunks; c++) {
        cudaStream_t stream = streams[c % count];
        float *from = h + c * part, *at = d + c * part;
        CHECK(cudaMemcpyAsync(at, from, part * sizeof(float), cudaMemcpyHostToDevice, stream));
        work<<<(part + 255) / 256, 256, 0, stream>>>(at, part, 40);
        CHECK(cudaMemcpyAsync(from, at, part * sizeof(float), cudaMemcpyDeviceToHost, stream));
    }
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms;
}

int main() {
    const int n = 1 << 21;
    float *h, *d;
    CHECK(cudaMallocHost(&h, n * sizeof(float)));
    CHECK(cudaMalloc(&d, n * sizeof(float)));
    CHECK(cudaMemset(d, 0, n * sizeof(float)));
    CHECK(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    cudaStream_t streams[3];
    for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));
    run(h, d, n, 1, streams, 1);
    float one = run(h, d, n, 1, streams, 1), many = run(h, d, n, 8, streams, 3);
    float ratio = one / many;
    printf("overlap: %.1fx\n", ratio);
    printf("between 1.7 and 2.1: %s\n", ratio > 1.7f && ratio < 2.1f ? "yes" : "no");
    for (auto &stream : streams) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(h));
    CHECK(cudaFree(d));
}
