#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int N> __device__ int sum(cg::thread_block_tile<N> t, int v) {
    for (int i = N / 2; i > 0; i /= 2) v += t.shfl_down(v, i);
    return v;
}
__global__ void k(int *x) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    x[threadIdx.x] = sum(tile, 1);
}
int main() {
    int *x; cudaMalloc(&x, 128);
    k<<<1, 32>>>(x); cudaDeviceSynchronize();
    cudaFree(x);
}
