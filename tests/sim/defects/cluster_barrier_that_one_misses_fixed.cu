// One block of the cluster has a barrier of its own, which all its threads come to.
// arch: 90
// launch: grid 2 block 64
// out y: i32 2
// expect y = 1 1
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void halves(int *y) {
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 1) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0) y[blockIdx.x] = 1;
}
