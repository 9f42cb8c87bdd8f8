// The width of the bus comes from the properties.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

int device_count() {
    int count;
    CHECK(cudaGetDeviceCount(&count));
    return count;
}

int blocks_at_once(const cudaDeviceProp &gpu, int threads) {
    int by_threads = gpu.maxThreadsPerMultiProcessor / threads;
    return gpu.multiProcessorCount * std::min(by_threads, gpu.maxBlocksPerMultiProcessor);
}

double bandwidth_gbps(int device) {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, device));
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device));
    return khz * 1000.0 * 2 * gpu.memoryBusWidth / 8 / 1e9;
}

size_t free_bytes(int device) {
    CHECK(cudaSetDevice(device));
    size_t free, total;
    CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 256;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 1;

    int count = device_count();
    printf("%d GPUs\n", count);

    void *used[16];
    for (int device = 0; device < count; device++) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaMalloc(&used[device], (1 + (seed + 37 * device) % 100) << 20));
    }

    for (int device = 0; device < count; device++) {
        cudaDeviceProp gpu;
        CHECK(cudaGetDeviceProperties(&gpu, device));
        printf("%d: %s, compute capability %d.%d\n", device, gpu.name, gpu.major, gpu.minor);
        printf("   blocks at once %d\n", blocks_at_once(gpu, threads));
        printf("   bandwidth      %.0f GB/s\n", bandwidth_gbps(device));
        printf("   free           %zu of %zu MiB\n", free_bytes(device) >> 20,
               gpu.totalGlobalMem >> 20);
    }

    cudaDeviceProp other = {};
    other.multiProcessorCount = 10 + seed % 150;
    other.maxThreadsPerMultiProcessor = seed % 2 ? 1536 : 1024;
    other.maxBlocksPerMultiProcessor = seed % 3 ? 16 : 24;
    printf("elsewhere\n   blocks at once %d\n", blocks_at_once(other, threads));

    for (int device = 0; device < count; device++) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaFree(used[device]));
    }
}
