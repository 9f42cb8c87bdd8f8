// A quarter of the result is copied: the rest of the host's array was never written.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void ramp(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

int main() {
    const int n = 256;
    int *out = (int *)malloc(n * sizeof(int)), *d_out;
    cudaMalloc(&d_out, n * sizeof(int));
    ramp<<<1, n>>>(d_out, n);
    cudaMemcpy(out, d_out, n, cudaMemcpyDeviceToHost);
    printf("%d %d\n", out[0], out[n - 1]); //~ I001
    cudaFree(d_out);
    free(out);
}
