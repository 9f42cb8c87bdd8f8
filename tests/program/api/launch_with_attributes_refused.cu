// A launch with attributes is refused, and nobody looks at what the call returns.
#include <cstdio>

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }

int main() {
    int *d_out, last = -1;
    if (cudaMalloc(&d_out, 2048 * sizeof(int)) != cudaSuccess) return 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(2048);
    cudaLaunchKernelEx(&config, fill, d_out, 3); //~ A011 A012
    printf("%d\n", last);
    cudaFree(d_out);
}
