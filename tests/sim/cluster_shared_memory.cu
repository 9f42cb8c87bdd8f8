// Each block reads what its right neighbour in the cluster has in shared memory, and adds to its left one's.
// arch: 90
// launch: grid 8 block 64
// out y: i32 512
// out z: i32 8
// expect y[i] = (i / 64 / 4 * 4 + (i / 64 + 1) % 4) * 1000 + i % 64
// expect z = 2016 2016 2016 2016 2016 2016 2016 2016
// count barriers: 16
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(4, 1, 1) void neighbours(int *y, int *z) {
    __shared__ int tile[64];
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    tile[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    int *theirs = cluster.map_shared_rank(tile, (rank + 1) % 4);
    y[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
    atomicAdd(cluster.map_shared_rank(&sum, (rank + 3) % 4), threadIdx.x);
    cluster.sync();
    if (threadIdx.x == 0) z[blockIdx.x] = sum;
}
