// A block reads its neighbour's shared memory once the two have met.
// arch: 90
// launch: grid 4 block 32
// out y: i32 128
// expect y[i] = (i / 32 ^ 1) * 100 + i % 32
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void neighbour(int *y) {
    __shared__ int tile[32];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    tile[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    int *theirs = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    y[blockIdx.x * 32 + threadIdx.x] = theirs[threadIdx.x];
    cluster.sync();
}
