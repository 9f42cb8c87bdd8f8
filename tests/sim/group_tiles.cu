// Cooperative groups: tiles of eight, their shuffles and reductions, and coalesced threads.
// launch: grid 2 block 64
// in a: i32 128 = i * 3 + 1
// out y: i32 512
// expect y[i] = i % 4 == 0 ? sum(k, 0, 8, a[i/4/8*8 + k]) : i % 4 == 1 ? a[i/4/8*8 + (i/4 + 1) % 8] : i % 4 == 2 ? (i/4 % 3 == 0 ? sum(k, 0, 32, (i/4/32*32 + k) % 3 == 0) : 0) : i/4 % 8 * 100 + i/4 % 64 / 8
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int *a, int *y) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank();
    int *out = y + 4 * i;
    out[0] = cg::reduce(tile, a[i], cg::plus<int>());
    out[1] = tile.shfl(a[i], (tile.thread_rank() + 1) % 8);
    out[2] = 0;
    if (i % 3 == 0) {
        cg::coalesced_group together = cg::coalesced_threads();
        out[2] = together.size();
        together.sync();
    }
    block.sync();
    out[3] = tile.thread_rank() * 100 + tile.meta_group_rank();
}
