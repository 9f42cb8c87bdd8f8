// Of a shared matrix only two elements are used: the compiler keeps no more of it. One of them is stored by no thread.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(const float *in, float *out, int n) {
    __shared__ float tile[4][8];
    int i = threadIdx.x;
    if (i == 0) tile[1][0] = in[0];
    if (i == n) tile[2][3] = in[1];
    __syncthreads();
    out[i] = tile[1][0] + tile[2][3]; //~ I001
}

int main() {
    float *in, *out, host[32] = {2, 3};
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(in, out, 32);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[5] == 5);
    cudaFree(in);
    cudaFree(out);
}
