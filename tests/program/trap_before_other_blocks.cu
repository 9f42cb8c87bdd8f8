// A trap stops the launch: what blocks after it would write to managed memory is not there, on any number of threads of
// the host.
#include <cstdio>
#include <cuda_runtime.h>

const int BLOCKS = 6000, THREADS = 64, LAST = 350;

__global__ void mark(int *values) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int v = i;
    for (int round = 0; round < 30; round++) v = (v ^ values[i]) * 1664525 + 1013904223;
    values[i] = v | 1;
    if (blockIdx.x == LAST) __trap(); //~ T001
}

int main() {
    int *values;
    cudaMallocManaged(&values, BLOCKS * THREADS * sizeof(int));
    for (int i = 0; i < BLOCKS * THREADS; i++) values[i] = 0;
    mark<<<BLOCKS, THREADS>>>(values);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    int blocks = 0;
    for (int block = 0; block < BLOCKS; block++) blocks += values[block * THREADS] != 0;
    printf("%d blocks\n", blocks);
}
