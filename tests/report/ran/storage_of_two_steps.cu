// Two steps share their storage, without a barrier between them.
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cstdio>
__global__ void k(int* out) {
  using Store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>; using Scan = cub::BlockScan<int, 64>;
  __shared__ union { typename Store::TempStorage s; typename Scan::TempStorage c; } tmp;
  int v[4] = {1, 2, 3, 4};
  Scan(tmp.c).InclusiveSum(v, v);
  Store(tmp.s).Store(out, v);
}
int main() { int* d; cudaMalloc(&d, 1024); k<<<1, 64>>>(d); int h; cudaMemcpy(&h, d + 255, 4, cudaMemcpyDeviceToHost); printf("%d\n", h); cudaFree(d); }
