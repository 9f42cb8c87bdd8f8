// The address of a std::vector is given for that of its elements.
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
    cudaError_t error = cudaMemcpy(d, &h, 4 * sizeof(int), cudaMemcpyHostToDevice); //~ A001
    increment<<<1, 32>>>(d, 4);
    error = cudaMemcpy(h.data(), d, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", error, h[3]);
    cudaFree(d);
}
