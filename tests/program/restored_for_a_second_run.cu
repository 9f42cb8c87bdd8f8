// A launch whose blocks read what others write is repeated on one thread of the host, from what was there before: also
// in a variable that became partly undefined after it had been written.
#include <cstdio>
#include <cuda_runtime.h>

const int N = 1 << 15, APART = 4096;

struct Pair {
    int first, second;
};

__device__ int numbers[N];

__global__ void fill() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = i + 1;
}

__global__ void set_first(Pair *pairs) {
    pairs[threadIdx.x].first = 7;
}

__global__ void copy_some(const Pair *pairs) {
    ((Pair *)numbers)[threadIdx.x] = pairs[threadIdx.x];
}

__global__ void shift() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 64 && i + APART < N) numbers[i] = numbers[i + APART]; //~ R002
}

int main() {
    Pair *pairs;
    cudaMalloc(&pairs, 32 * sizeof(Pair));
    fill<<<N / 256, 256>>>();
    set_first<<<1, 32>>>(pairs);
    copy_some<<<1, 4>>>(pairs);
    shift<<<N / 256, 256>>>();
    static int host[N];
    cudaMemcpyFromSymbol(host + 64, numbers, sizeof host - 64 * sizeof(int), 64 * sizeof(int));
    int zeros = 0;
    for (int i = 64; i < N; i++) zeros += host[i] == 0;
    printf("%d zeros\n", zeros);
    cudaFree(pairs);
}
