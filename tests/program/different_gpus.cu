// A machine whose GPUs are of different kinds: each has its own properties, memory and limits.
// as: t4 h100
// modelled: it needs two certain GPUs
#include <cstdio>

__global__ void doubles(int *value) {
    *value *= 2;
}

int main() {
    int count;
    cudaGetDeviceCount(&count);
    for (int device = 0; device < count; device++) {
        cudaDeviceProp its;
        cudaGetDeviceProperties(&its, device);
        int shared, bus;
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, device);
        printf("%d: %s, %d.%d, %d multiprocessors, %zu bytes, %d shared, bus %d\n", device, its.name, its.major,
               its.minor, its.multiProcessorCount, its.totalGlobalMem, shared, bus);

        char address[20];
        int found;
        cudaDeviceGetPCIBusId(address, sizeof(address), device);
        cudaDeviceGetByPCIBusId(&found, address);
        printf("  at %s: device %d\n", address, found);

        cudaSetDevice(device);
        size_t free, total;
        cudaMemGetInfo(&free, &total);
        printf("  memory of it: %d, most of it free: %d\n", total == its.totalGlobalMem, free > total / 2);
        int blocks;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, doubles, 1024, 0);
        printf("  %d blocks of 1024 threads a multiprocessor\n", blocks);

        int value = 21, *there;
        cudaMalloc(&there, sizeof(int));
        cudaMemcpy(there, &value, sizeof(int), cudaMemcpyHostToDevice);
        doubles<<<1, 1>>>(there);
        cudaMemcpy(&value, there, sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(there);
        printf("  %d\n", value);
    }
}
