// The flag is raised before the kernel begins.
#include <cstdio>

__global__ void serve(volatile int *stop, int *ended) {
    while (*stop == 0) {}
    *ended = 1;
}

int main() {
    int *stop, *ended, one = 1;
    cudaMalloc(&stop, sizeof(int));
    cudaMalloc(&ended, sizeof(int));
    cudaMemset(stop, 0, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(stop, &one, sizeof(int), cudaMemcpyHostToDevice, stream);
    serve<<<1, 1, 0, stream>>>(stop, ended);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaStreamDestroy(stream);
    cudaFree(stop);
    cudaFree(ended);
}
