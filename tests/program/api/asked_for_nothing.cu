// The memory is allocated before the vector has its elements: no bytes are asked for.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void count(int *out, int n) {
    if (threadIdx.x < n)
        out[threadIdx.x] = threadIdx.x; //~ M003
}

int main() {
    std::vector<int> values;
    int *out;
    cudaMalloc(&out, values.size() * sizeof(int));
    values.resize(32);
    count<<<1, 32>>>(out, 32);
    printf("%d\n", cudaDeviceSynchronize() == cudaSuccess);
}
