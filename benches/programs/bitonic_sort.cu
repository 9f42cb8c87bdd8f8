// Sorts numbers in place, a step of a bitonic network by each launch: `bitonic_sort COUNT`, a power of two from 512 on.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void step(float *values, int distance, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other <= i) return;
    float a = values[i], b = values[other];
    bool ascending = (i & length) == 0;
    if (ascending == (a > b)) {
        values[i] = b;
        values[other] = a;
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int n = atoi(argv[1]);
    size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(bytes);
    unsigned state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = state >> 8;
    }
    float *values;
    cudaMalloc(&values, bytes);
    cudaMemcpy(values, host, bytes, cudaMemcpyHostToDevice);
    for (int length = 2; length <= n; length *= 2)
        for (int distance = length / 2; distance > 0; distance /= 2)
            step<<<n / 512, 512>>>(values, distance, length);
    cudaMemcpy(host, values, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 1; i < n; i++) wrong += host[i - 1] > host[i];
    printf(wrong == 0 ? "right\n" : "wrong\n");
    cudaFree(values);
    free(host);
}
