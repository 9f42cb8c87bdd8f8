// A function divides by a constant that is zero: what it returns has no value, and the launch is refused.
// modelled: what the function returns is undefined.
#include <cstdio>

#ifndef BLOCK
#define BLOCK 0
#endif

__global__ void fill(int *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = i;
}

static int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }

int main() {
    const int n = 100;
    int *d_out, last = -1;
    if (cudaMalloc(&d_out, n * sizeof(int)) != cudaSuccess) return 1;
    fill<<<blocks_for(n, BLOCK), 32>>>(d_out, n); //~ A012
    if (cudaGetLastError() == cudaSuccess) cudaMemcpy(&last, d_out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(d_out);
}
