// The release threshold of a pool is read as 8 bytes, and the variable has 4.
#include <cstdio>

__global__ void fill(float *x) { x[threadIdx.x] = 1; }

int main() {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    int keep = 64 << 20;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep); //~ I001
    float *x, first;
    cudaMallocAsync(&x, 32 * sizeof(float), 0);
    fill<<<1, 32>>>(x);
    cudaMemcpyAsync(&first, x, sizeof(float), cudaMemcpyDeviceToHost, 0);
    cudaFreeAsync(x, 0);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%g\n", first);
}
