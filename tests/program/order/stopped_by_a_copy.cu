// A kernel runs until a copy on another stream tells it to stop: no mistake, and not to be had here.
// exit: unsupported
// modelled: kernels that wait for the host are not run to their end
#include <cstdio>

__global__ void serve(volatile int *stop, int *ended) {
    while (*stop == 0) {}
    *ended = 1;
}

int main() {
    int *stop, *ended, one = 1, h = 0;
    cudaMalloc(&stop, sizeof(int));
    cudaMalloc(&ended, sizeof(int));
    cudaMemset(stop, 0, sizeof(int));
    cudaMemset(ended, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t kernels, copies;
    cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    serve<<<1, 1, 0, kernels>>>(stop, ended);
    int *other;
    cudaMalloc(&other, sizeof(int));
    cudaMemsetAsync(other, 0, sizeof(int), copies);
    cudaStreamSynchronize(copies);
    cudaMemcpyAsync(stop, &one, sizeof(int), cudaMemcpyHostToDevice, copies);
    cudaStreamSynchronize(kernels);
    cudaMemcpy(&h, ended, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaStreamDestroy(kernels);
    cudaStreamDestroy(copies);
    cudaFree(other);
    cudaFree(stop);
    cudaFree(ended);
}
