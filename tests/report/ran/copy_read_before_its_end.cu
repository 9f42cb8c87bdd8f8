// The copy is read after the arrival, and before the wait.
#include <cuda/barrier>
#include <cstdio>
__global__ void rev(const int4* in, int4* out) {
  __shared__ alignas(16) int4 s[64]; __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<16>(16), bar);
  auto tok = bar.arrive();
  out[threadIdx.x] = s[63 - threadIdx.x];
  bar.wait(std::move(tok));
}
int main() { int4 *a, *b; cudaMalloc(&a, 1024); cudaMalloc(&b, 1024); cudaMemset(a, 0, 1024); rev<<<1, 64>>>(a, b); cudaDeviceSynchronize(); cudaFree(a); cudaFree(b); puts("done"); }
