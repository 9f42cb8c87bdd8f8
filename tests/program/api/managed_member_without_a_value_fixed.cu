// A structure is stored whole to managed memory, with all of its members set.
#include <cstdio>
#include <cuda_runtime.h>

struct Item {
    int key, value;
};

__global__ void items(Item *out) {
    __shared__ int filled[32];
    filled[threadIdx.x] = threadIdx.x;
    __syncthreads();
    Item item;
    item.key = threadIdx.x;
    item.value = filled[threadIdx.x];
    out[threadIdx.x] = item;
}

int main() {
    Item *out;
    cudaMallocManaged(&out, 32 * sizeof(Item));
    items<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[7].value, out[31].key);
    if (out[31].value == 1) printf("one\n");
    cudaFree(out);
}
