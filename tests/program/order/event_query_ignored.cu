// The program asks whether the copy is done, and does not look at the answer: nothing makes the read come after it.
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
    int *host, *x;
    cudaMallocHost(&host, 32 * sizeof(int));
    cudaMalloc(&x, 32 * sizeof(int));
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaMemcpy(x, host, 32 * sizeof(int), cudaMemcpyHostToDevice);
    cudaEvent_t copied;
    cudaEventCreate(&copied);
    square<<<1, 32>>>(x);
    cudaMemcpyAsync(host, x, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaEventRecord(copied);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cudaEventQuery(copied);
    printf("%d\n", host[7]); //~ O001
    cudaEventDestroy(copied);
    cudaFree(x);
    cudaFreeHost(host);
}
