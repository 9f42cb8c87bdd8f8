#include <cooperative_groups.h>
__global__ void kernel(int *a, int n) {
    cooperative_groups::this_grid().sync();
    if (threadIdx.x < n) a[threadIdx.x] = 1;
}
int main() {
    const int blocks = 1, threads = 32;
    int *a, n = 32;
    cudaMalloc(&a, n * sizeof(int));
#ifdef FIXED
    void *args[] = { &a, &n };
    cudaLaunchCooperativeKernel((void *)kernel, blocks, threads, args);
#else
    kernel<<<blocks, threads>>>(a, n);
#endif
    cudaDeviceSynchronize();
    cudaFree(a);
}
