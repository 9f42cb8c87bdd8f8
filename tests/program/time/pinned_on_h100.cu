// as: h100
// A copy over PCIe 5.0 from pinned memory is several times as fast as one from pageable memory, in both
// directions; for a few bytes there is hardly a difference.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

float milliseconds(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int k = 0; k < 4; k++) CHECK(cudaMemcpy(to, from, bytes, kind));
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms / 4;
}

const char *between(float low, float x, float high) { return low < x && x < high ? "yes" : "no"; }

int main() {
    const size_t bytes = 16 << 20;
    std::vector<char> pageable(bytes, 1);
    char *pinned, *device;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemset(device, 0, bytes));
    CHECK(cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost));
    float up = milliseconds(device, pageable.data(), bytes, cudaMemcpyHostToDevice);
    float up_pinned = milliseconds(device, pinned, bytes, cudaMemcpyHostToDevice);
    float down = milliseconds(pageable.data(), device, bytes, cudaMemcpyDeviceToHost);
    float down_pinned = milliseconds(pinned, device, bytes, cudaMemcpyDeviceToHost);
    float few = milliseconds(device, pageable.data(), 64, cudaMemcpyHostToDevice);
    float few_pinned = milliseconds(device, pinned, 64, cudaMemcpyHostToDevice);
    printf("to the GPU: %.1fx, between 3 and 9: %s\n", up / up_pinned, between(3, up / up_pinned, 9));
    printf("to the host: %.1fx, between 3 and 9: %s\n", down / down_pinned, between(3, down / down_pinned, 9));
    printf("pinned between 45 and 60 GB/s: %s\n", between(45, bytes / up_pinned / 1e6f, 60));
    printf("64 bytes: between 0.8 and 1.5: %s\n", between(0.8f, few / few_pinned, 1.5f));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
}
