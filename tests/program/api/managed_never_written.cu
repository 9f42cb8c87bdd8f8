// A kernel writes half of the managed array, and the host reads all of it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void ramp(int *out, int n) {
    if (threadIdx.x < n / 2) out[threadIdx.x] = threadIdx.x;
}

int main() {
    const int n = 64;
    int *out;
    cudaMallocManaged(&out, n * sizeof(int));
    ramp<<<1, n>>>(out, n);
    cudaDeviceSynchronize();
    int most = 0;
    for (int i = 0; i < n; i++)
        if (out[i] > most) most = out[i]; //~ I001
    printf("%d\n", most);
    cudaFree(out);
}
