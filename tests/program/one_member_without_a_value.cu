// A structure of which one member is stored without a value is no mistake while nobody uses that member, on any number
// of the host's threads.
#include <cstdio>
#include <cuda_runtime.h>

struct Pair {
    int first, second;
};

__global__ void store(Pair *pairs, const int *never_set, int n) {
    Pair *own = &pairs[blockIdx.x];
    if (threadIdx.x < 2) {
        own->first = 1;
        pairs[n + blockIdx.x * 64 + threadIdx.x * 3].first = 2;
        own->second = never_set[blockIdx.x];
    }
}

int main() {
    const int n = 512;
    Pair *pairs;
    int *never_set;
    cudaMalloc(&pairs, 66 * n * sizeof(Pair));
    cudaMalloc(&never_set, n * sizeof(int));
    cudaMemset(pairs, 0, 66 * n * sizeof(Pair));
    store<<<n, 64>>>(pairs, never_set, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(pairs);
    cudaFree(never_set);
}
