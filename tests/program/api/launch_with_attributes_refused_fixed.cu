// A launch with attributes fits, and what the call returns is looked at.
#include <cstdio>

__global__ void fill(int *out, int value) { out[threadIdx.x + blockIdx.x * blockDim.x] = value; }

int main() {
    int *d_out, last = -1;
    if (cudaMalloc(&d_out, 2048 * sizeof(int)) != cudaSuccess) return 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(1024);
    if (cudaLaunchKernelEx(&config, fill, d_out, 3) != cudaSuccess) return 2;
    if (cudaMemcpy(&last, d_out + 2047, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
    printf("%d\n", last);
    cudaFree(d_out);
}
