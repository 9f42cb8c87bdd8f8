// As many threads as numbers: all of the static array is filled.
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
    square<<<(n + 511) / 512, 512>>>(d, n);
    cudaMemcpy(squares, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", squares[3]);
    printf("%d\n", squares[999]);
    cudaFree(d);
}
