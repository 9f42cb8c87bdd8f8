// 1000 numbers, a block of 512: the rest of the GPU's memory, which nobody has written, goes to a static array of the host.
#include <cstdio>

static int squares[1000];

__global__ void square(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i;
}

int main() {
    const int n = 1000;
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    square<<<1, 512>>>(d, n);
    cudaMemcpy(squares, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", squares[3]);
    printf("%d\n", squares[999]); //~ I001
    cudaFree(d);
}
