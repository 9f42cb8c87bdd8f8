// Where a block is in its cluster, and how large that is.
// arch: 90
// launch: grid 4,4 block 8
// out y: i32 160
// expect y[i] = i % 10 == 0 ? i / 10 % 2 + 2 * (i / 40 % 2) : i % 10 == 1 ? 4 : i % 10 == 2 ? 32 : i % 10 == 3 ? i / 10 % 2 : i % 10 == 4 ? i / 40 % 2 : i % 10 == 5 ? i / 10 % 4 / 2 : i % 10 == 6 ? i / 80 : i % 10 == 7 ? 2 : i % 10 == 8 ? 8 * (i / 10 % 2 + 2 * (i / 40 % 2)) : 1
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned clusterid(int axis) {
    unsigned x;
    if (axis == 0) asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    else asm("mov.u32 %0, %%clusterid.y;" : "=r"(x));
    return x;
}
extern "C" __global__ __cluster_dims__(2, 2, 1) void ranks(int *y) {
    cg::cluster_group its = cg::this_cluster();
    int *out = y + 10 * (blockIdx.x + gridDim.x * blockIdx.y);
    unsigned clusters, is_explicit;
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is_explicit));
    if (threadIdx.x == 0) {
        out[0] = its.block_rank();
        out[1] = its.num_blocks();
        out[2] = its.num_threads();
        out[3] = its.block_index().x;
        out[4] = its.block_index().y;
        out[5] = clusterid(0);
        out[6] = clusterid(1);
        out[7] = clusters;
        out[8] = its.thread_rank();
        out[9] = is_explicit;
    }
}
