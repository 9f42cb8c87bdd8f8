// The bandwidth of device 0, for every device.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// How many GPUs this program sees.
int device_count() {
    int count;
    CHECK(cudaGetDeviceCount(&count));
    return count;
}

// How many blocks of `threads` threads such a GPU runs at the same time, limited
// by its threads and blocks.
int blocks_at_once(const cudaDeviceProp &gpu, int threads) {
    // Rounded down for each multiprocessor: no block is split between two.
    int by_threads = gpu.maxThreadsPerMultiProcessor / threads;
    return gpu.multiProcessorCount * std::min(by_threads, gpu.maxBlocksPerMultiProcessor);
}

// GB/s that the memory of a device moves at most.
double bandwidth_gbps(int device) {
    // Attributes, not properties: cudaDeviceProp lost its clocks in CUDA 13.
    int khz, bits;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    // Two transfers in each cycle, bits / 8 bytes in each transfer.
    return 2.0 * khz * (bits / 8) / 1e6; //~ wrong-output
}

// Bytes of free memory on a device.
size_t free_bytes(int device) {
    // cudaMemGetInfo takes no device: it answers for the current one.
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

    // Others use memory on each of them, here more and there less.
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

    // blocks_at_once() should also be right for a GPU that is not in this machine.
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
