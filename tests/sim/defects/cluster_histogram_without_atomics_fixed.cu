// The blocks of a cluster share one histogram and count with atomics.
// arch: 90
// launch: grid 4 block 64
// in a: i32 256 = i * i
// out h: i32 32
// expect h[i] = i == 0 || i == 16 ? 2 : 0
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void histogram(const int *a, int *h) {
    __shared__ int bins[8];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    cluster.sync();
    int bin = threadIdx.x == 0 ? a[blockIdx.x * 64] % 16 : -1;
    if (bin >= 0) {
        int *count = cluster.map_shared_rank(&bins[bin % 8], bin / 8);
        atomicAdd(count, 1);
    }
    cluster.sync();
    if (threadIdx.x < 8) h[blockIdx.x * 8 + threadIdx.x] = bins[threadIdx.x];
}
