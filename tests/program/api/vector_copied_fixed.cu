// The address of the elements of a std::vector, and that of a std::array, whose elements are within it.
#include <array>
#include <cstdio>
#include <vector>

__global__ void increment(int *x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] += 1;
}

int main() {
    std::vector<int> h(4, 7);
    int *d;
    cudaMalloc(&d, 4 * sizeof(int));
    cudaMemset(d, 0, 4 * sizeof(int));
    cudaError_t error = cudaMemcpy(d, h.data(), 4 * sizeof(int), cudaMemcpyHostToDevice);
    std::array<int, 4> same = {1, 2, 3, 4};
    error = cudaMemcpy(d, &same, sizeof same, cudaMemcpyHostToDevice);
    increment<<<1, 32>>>(d, 4);
    error = cudaMemcpy(h.data(), d, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", error, h[3]);
    cudaFree(d);
}
