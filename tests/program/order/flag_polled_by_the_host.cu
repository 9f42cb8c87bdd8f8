// The host waits for a flag in mapped memory, which the kernel raises behind its data.
#include <cstdio>

__global__ void produce(int *data, volatile int *flag) {
    for (int i = 0; i < 4; i++) {
        data[i] = 10 * i + 1;
        __threadfence_system();
        *flag = i + 1;
    }
}

int main() {
    int *data;
    volatile int *flag;
    cudaHostAlloc((void **)&data, 4 * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc((void **)&flag, sizeof(int), cudaHostAllocMapped);
    *flag = 0;
    produce<<<1, 1>>>(data, flag);
    while (*flag < 4) {
    }
    printf("%d %d\n", data[0], data[3]);
    cudaDeviceSynchronize();
    cudaFreeHost(data);
    cudaFreeHost((void *)flag);
    return 0;
}
