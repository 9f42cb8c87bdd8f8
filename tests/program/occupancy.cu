// Occupancy as the runtime tells it.
#include <cstdio>

__global__ void small(float *x) { x[threadIdx.x] = threadIdx.x; }

__global__ void hungry(float *x) {
    __shared__ float s[12 * 1024];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}

__global__ void __launch_bounds__(128) bounded(float *x) { x[threadIdx.x] *= 2; }

int main() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 1024, 0);
    printf("1024 threads: %d, and the multiprocessor is full: %d\n", blocks > 0, blocks == p.maxThreadsPerMultiProcessor / 1024);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hungry, 64, 0);
    printf("48 KB each: %d\n", blocks == (int)(p.sharedMemPerMultiprocessor / (49 * 1024)));
    int grid = 0, block = 0;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 0, 0);
    printf("block %d, grid fills the device: %d\n", block, grid == p.multiProcessorCount * (p.maxThreadsPerMultiProcessor / block));
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, hungry);
    printf("shared %zu, threads %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock);
    cudaFuncGetAttributes(&a, bounded);
    printf("bounded: threads %d\n", a.maxThreadsPerBlock);
    bounded<<<1, 256>>>(nullptr); //~ A012
    printf("256 threads: %s\n", cudaGetErrorName(cudaGetLastError()));
}
