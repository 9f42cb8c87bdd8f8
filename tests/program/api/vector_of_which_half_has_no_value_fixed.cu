// A vector is stored at once: both halves are computed from what every thread has filled.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void pairs(float2 *out) {
    __shared__ float filled[32];
    filled[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = make_float2(filled[threadIdx.x] + 1, 1);
}

int main() {
    float2 *out, host[32];
    cudaMalloc(&out, sizeof host);
    pairs<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[7].x, host[31].y);
    printf("%d\n", host[31].x == 1.5f);
    cudaFree(out);
}
