// What a device says of itself, where every device of the last ten years says the same.
#include <cstdio>
#include <cstring>

int main() {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        printf("no device: %s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("has a name: %d\n", strlen(p.name) > 3);
    printf("warp size %d, %d threads a block, %zu bytes of shared memory a block\n", p.warpSize, p.maxThreadsPerBlock, p.sharedMemPerBlock);
    printf("block up to (%d, %d, %d), grid up to (%d, %d, %d)\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("%d registers a block, %zu bytes of constant memory\n", p.regsPerBlock, p.totalConstMem);
    int value;
    cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
    printf("multiprocessors agree: %d\n", value == p.multiProcessorCount && value > 0);
    cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0);
    printf("capability agrees: %d\n", value == p.major);
    size_t free_bytes, total_bytes;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    printf("memory agrees: %d, some is free: %d\n", total_bytes == p.totalGlobalMem, free_bytes > 0 && free_bytes <= total_bytes);
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("driver not older: %d\n", driver >= runtime && runtime >= 12000);
    int least, greatest;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    printf("priorities: %d\n", greatest <= least && least == 0);
}
