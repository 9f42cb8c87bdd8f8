#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                                                 \
    if (cudaError_t error_ = (call)) {                                              \
        fprintf(stderr, "%s\n", cudaGetErrorString(error_));                        \
        exit(1);                                                                    \
    }
__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2;
}
int main() {
    int n = 4096, threads = 2048, blocks = 2;
    float *d_x;
    cudaMalloc(&d_x, n * sizeof(float));
#ifdef FIXED
    blocks = 4, threads = 1024;
    scale<<<blocks, threads>>>(d_x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
#else
    scale<<<blocks, threads>>>(d_x, n);
#endif
    cudaFree(d_x);
}
