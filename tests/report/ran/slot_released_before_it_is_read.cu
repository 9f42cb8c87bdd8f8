// The consumer arrives before it has read: the slot may be overwritten.
#include <cuda/barrier>
#include <cstdio>
using B = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(const int* in, int* out, int n) {
  __shared__ int buf[2][32]; __shared__ B full[2], empty[2];
  if (threadIdx.x == 0) for (int i = 0; i < 2; i++) { init(&full[i], 64); init(&empty[i], 64); }
  __syncthreads(); int w = threadIdx.x / 32, l = threadIdx.x % 32;
  if (w == 0) for (int i = 0; i < n; i++) { empty[i & 1].arrive_and_wait(); buf[i & 1][l] = in[i * 32 + l]; (void)full[i & 1].arrive(); }
  else { (void)empty[0].arrive(); (void)empty[1].arrive();
    for (int i = 0; i < n; i++) {
      full[i & 1].arrive_and_wait();
      (void)empty[i & 1].arrive();
      out[i * 32 + l] = buf[i & 1][31 - l];
    } } }
int main() { const int N = 6; int h[N * 32], *a, *b; for (int i = 0; i < N * 32; i++) h[i] = i; cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); k<<<1, 64>>>(a, b, N); cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost); printf("%d %d\n", h[0], h[191]); cudaFree(a); cudaFree(b); }
