#include <iostream>
#include <vector>

__global__ void number(long long *c, long long n) {
    if (threadIdx.x < n) {
        c[threadIdx.x] = threadIdx.x;
    }
}

int main() {
    long long n;
    std::cin >> n;
    int blocks = (n + 255) / 256;
    long long *c;
    cudaMalloc(&c, blocks * 256 * sizeof(long long));
    number<<<blocks, 256>>>(c, n);
    cudaFree(c);
}
