// Nobody looks at the result of an allocation that can't succeed.
#include <stdio.h>

__global__ void fill(char *x, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (x && i < n) x[i] = 1;
}

int main(void) {
    size_t n = (size_t)1 << 42;
    char *d = NULL;
    cudaMalloc(&d, n); //~ A010
    fill<<<4, 256>>>(d, n);
    cudaDeviceSynchronize();
    char first = 0;
    if (d) cudaMemcpy(&first, d, 1, cudaMemcpyDeviceToHost);
    printf("first = %d\n", first);
    cudaFree(d);
    return 0;
}
