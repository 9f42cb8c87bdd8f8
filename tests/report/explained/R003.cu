#include <cuda_pipeline.h>
__global__ void sums(const float *in, float *out) {
    __shared__ __align__(16) float tile[128];
    int t = threadIdx.x, i = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&tile[4 * t], &in[4 * i], 16);
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(0);
#endif
    __syncthreads();
    for (int k = 0; k < 128; k++)
        sum += tile[k];
#ifndef FIXED
    __pipeline_wait_prior(0);
#endif
    out[t] = sum;
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(in, 0, 128 * sizeof(float));
    sums<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
