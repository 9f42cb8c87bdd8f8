// A launch without clusters: each block is a cluster of its own.
// arch: 90
// launch: grid 3 block 32
// out y: i32 9
// expect y = 0 1 32 0 1 32 0 1 32
#include <cooperative_groups.h>
extern "C" __global__ void cluster(int *y) {
    cooperative_groups::cluster_group its = cooperative_groups::this_cluster();
    its.sync();
    if (threadIdx.x == 0) {
        y[3 * blockIdx.x] = its.block_rank();
        y[3 * blockIdx.x + 1] = its.num_blocks();
        y[3 * blockIdx.x + 2] = its.num_threads();
    }
}
