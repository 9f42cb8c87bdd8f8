// The memory is allocated for the elements that the vector has.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void count(int *out, int n) {
    if (threadIdx.x < n)
        out[threadIdx.x] = threadIdx.x;
}

int main() {
    std::vector<int> values(32);
    int *out;
    cudaMalloc(&out, values.size() * sizeof(int));
    count<<<1, 32>>>(out, 32);
    printf("%d\n", cudaDeviceSynchronize() == cudaSuccess);
    cudaFree(out);
}
