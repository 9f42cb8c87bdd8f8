// A kernel waits for a flag; the copy that would raise it waits for the kernel, in the same stream.
#include <cstdio>

__global__ void serve(volatile int *stop, int *ended) {
    while (*stop == 0) {} //~ S001
    *ended = 1;
}

int main() {
    int *stop, *ended, one = 1;
    cudaMalloc(&stop, sizeof(int));
    cudaMalloc(&ended, sizeof(int));
    cudaMemset(stop, 0, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    serve<<<1, 1, 0, stream>>>(stop, ended);
    cudaMemcpyAsync(stop, &one, sizeof(int), cudaMemcpyHostToDevice, stream);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}
