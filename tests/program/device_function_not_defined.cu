// exit: undefined _Z5twicei
// A kernel calls a function that is only declared.
// modelled: a GPU's driver does not load such a module
#include <cstdio>

__device__ int twice(int x);

__global__ void fill(int *out) { out[threadIdx.x] = twice(threadIdx.x); }

int main() {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    fill<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("done\n");
    cudaFree(out);
}
