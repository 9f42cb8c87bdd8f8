// The grid is rounded up: every element has a thread.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void twice(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

int main() {
    const int n = 1000;
    int *in = new int[n], *out = new int[n], *d_in, *d_out;
    for (int i = 0; i < n; i++) in[i] = i;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (out[i] != 2 * i) wrong++;
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    delete[] in;
    delete[] out;
}
