// Registered host memory is copied as fast as pinned memory, and kernels use it where it lies.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void triple(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 3;
}

// The shortest of some: the first touch of memory takes longer.
float copy_ms(void *to, const void *from, size_t bytes) {
    cudaEvent_t start, stop;
    float least_ms = 1e9f, ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int run = 0; run < 5; run++) {
        CHECK(cudaEventRecord(start));
        CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (ms < least_ms) least_ms = ms;
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return least_ms;
}

int main() {
    const int n = 1 << 16;
    const size_t bytes = n * sizeof(int);
    std::vector<int> x(n);
    std::iota(x.begin(), x.end(), 0);
    int *pinned, *device, *seen;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMallocHost(&pinned, bytes));
    memcpy(pinned, x.data(), bytes);
    float pageable_ms = copy_ms(device, x.data(), bytes), pinned_ms = copy_ms(device, pinned, bytes);
    CHECK(cudaHostRegister(x.data(), bytes, cudaHostRegisterMapped));
    printf("again: %s\n", cudaGetErrorName(cudaHostRegister(x.data(), 16, 0)));
    float registered_ms = copy_ms(device, x.data(), bytes);
    printf("as fast as pinned: %s, faster than pageable: %s\n", registered_ms < 1.5f * pinned_ms ? "yes" : "no",
           registered_ms < pageable_ms ? "yes" : "no");
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, &x[5]));
    printf("host memory: %s\n", attributes.type == cudaMemoryTypeHost ? "yes" : "no");
    CHECK(cudaHostGetDevicePointer(&seen, x.data(), 0));
    triple<<<n / 256, 256>>>(seen, n);
    CHECK(cudaDeviceSynchronize());
    triple<<<n / 256, 256>>>(x.data() + 8, n - 8);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d\n", x[7], x[8], x[n - 1]);
    CHECK(cudaHostUnregister(x.data()));
    x[7]++;
    printf("%d, again: %s\n", x[7] + std::accumulate(x.begin(), x.begin() + 7, 0),
           cudaGetErrorName(cudaHostUnregister(x.data())));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
}
