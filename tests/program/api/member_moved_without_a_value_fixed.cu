// A structure is copied whole, and the host uses the members that have a value.
#include <cstdio>
#include <cuda_runtime.h>

struct Item {
    int key, value;
};

__global__ void items(Item *out) {
    __shared__ int filled[32];
    if (threadIdx.x < 8) filled[threadIdx.x] = threadIdx.x;
    __syncthreads();
    Item item;
    item.key = threadIdx.x;
    item.value = filled[threadIdx.x];
    out[threadIdx.x] = item;
}

int main() {
    Item *out, host[32];
    cudaMalloc(&out, sizeof host);
    items<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[7].value, host[31].key);
    printf("%d\n", host[7].value == 1);
    cudaFree(out);
}
