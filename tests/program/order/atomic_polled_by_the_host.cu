// The host acquires what the kernel releases, by an atomic of the whole system.
#include <cstdio>
#include <cuda/atomic>
#include <new>

using Flag = cuda::atomic<int, cuda::thread_scope_system>;

__global__ void produce(int *data, Flag *flag) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
}

int main() {
    int *data;
    Flag *flag;
    cudaMallocHost(&data, sizeof *data);
    cudaMallocHost(&flag, sizeof *flag);
    new (flag) Flag(0);
    produce<<<1, 1>>>(data, flag);
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    printf("%d\n", *data);
    cudaDeviceSynchronize();
    cudaFreeHost(data);
    cudaFreeHost(flag);
    return 0;
}
