// The kernel is launched behind the copy of its result.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }

int main() {
    int x[4] = {0, 0, 0, 0};
    int *d_x;
    cudaMalloc(&d_x, sizeof(x));
    cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost); //~ I001
    fill<<<1, 4>>>(d_x);
    cudaDeviceSynchronize();
    cudaFree(d_x);
    printf("done\n");
}
