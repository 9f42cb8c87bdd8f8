// The barrier is the second statement of its line.
#include <cstdio>
__global__ void k(int* o) {
  __shared__ int s[64];
  if (threadIdx.x < 40) {
    s[threadIdx.x] = 1; __syncthreads();
    o[threadIdx.x] = s[39 - threadIdx.x];
  }
}
int main() { int* d; cudaMalloc(&d, 256); k<<<1, 64>>>(d); cudaDeviceSynchronize(); cudaFree(d); }
