// The first of two sizes of block is refused, and nobody looks before the second is tried.
#include <cstdio>

__global__ void fill(int *x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = blockDim.x;
}

int main() {
    int *x, h[8] = {0};
    cudaMalloc(&x, sizeof h);
    cudaMemset(x, 0, sizeof h);
    fill<<<1, 2000>>>(x, 8); //~ A012
    fill<<<1, 500>>>(x, 8);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[7]);
    cudaFree(x);
}
