// The result is copied once the kernel is done.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }

int main() {
    int x[4] = {0, 0, 0, 0};
    int *d_x;
    cudaMalloc(&d_x, sizeof(x));
    fill<<<1, 4>>>(d_x);
    cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    printf("%d\n", x[3]);
}
