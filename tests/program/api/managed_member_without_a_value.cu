// A structure is stored whole to managed memory, one member from shared memory that some threads never filled: the host
// uses that member.
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
    Item *out;
    cudaMallocManaged(&out, 32 * sizeof(Item));
    items<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[7].value, out[31].key);
    if (out[31].value == 1) printf("one\n"); //~ I001
    cudaFree(out);
}
