// A block of 32 by 32 threads is allowed, and the launch is looked at.
#include <stdio.h>

__global__ void transpose(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

int main(void) {
    const int n = 64;
    static float h[n * n];
    for (int i = 0; i < n * n; i++) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof h);
    dim3 block(32, 32), grid(2, 2);
    transpose<<<grid, block>>>(in, out, n);
    if (cudaGetLastError() != cudaSuccess) printf("not launched\n");
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("h[1] = %.0f, h[64] = %.0f\n", h[1], h[64]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
