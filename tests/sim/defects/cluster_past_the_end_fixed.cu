// The last element of the neighbour's shared memory.
// arch: 90
// launch: grid 4 block 33
// out y: i32 132
// expect y[i] = (i / 33 ^ 1) * 100 + i % 33
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void neighbour(int *y) {
    __shared__ int tile[33];
    cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    int *theirs = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    y[blockIdx.x * 33 + threadIdx.x] = theirs[threadIdx.x];
    cluster.sync();
}
