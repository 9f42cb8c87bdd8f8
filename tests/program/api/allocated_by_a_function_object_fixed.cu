// A lambda is called by way of a function object, and frees what it allocates.
#include <cstdio>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

__global__ void fill(int *out, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = n;
}

int main() {
    std::vector<std::function<void(int)>> versions = {
        [](int n) {
            int *out;
            cudaMalloc(&out, n * sizeof(int));
            fill<<<1, 32>>>(out, n);
            cudaFree(out);
        },
    };
    for (auto &version : versions)
        version(32);
    printf("%d\n", cudaDeviceSynchronize() == cudaSuccess);
}
