// The memset counts as if the rows followed each other.
#include <cstdio>
int main() {
  int *d; size_t p; cudaMallocPitch(&d, &p, 40, 8);
  cudaMemset(d, 0, 40 * 8);
  int h[8][10]; cudaMemcpy2D(h, 40, d, p, 40, 8, cudaMemcpyDeviceToHost); printf("%d\n", h[7][9]); cudaFree(d);
}
