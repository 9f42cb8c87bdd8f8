// The kernel raises a flag in mapped memory behind its data, and the host waits for neither.
#include <cstdio>

__global__ void produce(int *data, volatile int *flag) {
    *data = 42;
    __threadfence_system();
    *flag = 1;
}

int main() {
    int *data;
    volatile int *flag;
    cudaHostAlloc((void **)&data, sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc((void **)&flag, sizeof(int), cudaHostAllocMapped);
    *data = 0;
    *flag = 0;
    produce<<<1, 1>>>(data, flag);
    int early = *data; //~ O001
    cudaDeviceSynchronize();
    printf("%d\n", early == 0 || early == 42);
    cudaFreeHost(data);
    cudaFreeHost((void *)flag);
    return 0;
}
