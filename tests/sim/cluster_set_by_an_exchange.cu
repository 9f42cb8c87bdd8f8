// A block sets what its neighbour in the cluster has in shared memory by an exchange, whatever was there.
// arch: 90
// launch: grid 2 block 32
// out y: i32 2
// expect y = 2 1
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void exchange(int *y) {
    __shared__ int count;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1;
    cluster.sync();
    if (threadIdx.x == 0) atomicExch(cluster.map_shared_rank(&count, other), 1 + cluster.block_rank());
    cluster.sync();
    if (threadIdx.x == 0) y[blockIdx.x] = count;
}
