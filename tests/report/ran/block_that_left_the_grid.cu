// Block 1 does not come to the barrier of the grid.
#include <cooperative_groups.h>

__global__ void k(int *x) {
    if (threadIdx.x >= 32) return;
    if (blockIdx.x == 1) return;
    cooperative_groups::this_grid().sync();
    x[threadIdx.x] = 1;
}

int main() {
    int *x;
    cudaMalloc(&x, 32 * sizeof(int));
    void *arguments[] = {&x};
    cudaLaunchCooperativeKernel((void *)k, 2, 64, arguments, 0, 0);
    cudaDeviceSynchronize();
    cudaFree(x);
}
