// CUB's allocator comes with its one header for all: what is freed is kept for who asks next.
#include <cstdio>
#include <cub/cub.cuh>

cub::CachingDeviceAllocator allocator;

int main() {
    void *first = nullptr, *second = nullptr;
    allocator.DeviceAllocate(&first, 1000);
    allocator.DeviceFree(first);
    allocator.DeviceAllocate(&second, 900);
    printf("%d\n", first == second);
    cudaMemset(second, 0, 900);
    cudaDeviceSynchronize();
    allocator.DeviceFree(second);
    allocator.FreeAllCached();
}
