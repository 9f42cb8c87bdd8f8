#include <cstdio>
#include <cuda_runtime.h>

struct Item {
    int key, value;
};

__global__ void first(Item *out) {
    __shared__ int some[64];
    if (threadIdx.x == 99) some[threadIdx.x - 64] = 1;
    __syncthreads();
    Item item;
    item.key = threadIdx.x;
    item.value = some[threadIdx.x];
    out[threadIdx.x] = item;
}

__global__ void second(Item *out) {
    __shared__ int some[64];
    if (threadIdx.x == 99) some[threadIdx.x - 64] = 1;
    __syncthreads();
    Item item;
    item.key = threadIdx.x;
    item.value = some[threadIdx.x];
    out[threadIdx.x] = item;
}

int main() {
    Item *out, host[64];
    cudaMalloc(&out, sizeof host);
    first<<<1, 32>>>(out);
    second<<<1, 32>>>(out + 32);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0].value == 1);
    printf("%d\n", host[63].value == 1);
    cudaFree(out);
}
