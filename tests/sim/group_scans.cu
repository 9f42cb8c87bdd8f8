// Cooperative groups: scans, partitions by label and by predicate, block-wide identifiers.
// launch: grid 1 block 64
// in a: i32 64 = (i * 7 + 3) % 10
// out y: i32 256
// expect y[i] = i % 4 == 0 ? sum(k, 0, i/4 % 32 + 1, a[i/4/32*32 + k]) : i % 4 == 1 ? sum(k, 0, i/4 % 16, a[i/4/16*16 + k]) : i % 4 == 2 ? sum(k, 0, 32, (a[i/4/32*32 + k] < 5) == (a[i/4] < 5)) : sum(k, 0, 32, a[i/4/32*32 + k] % 3 == a[i/4] % 3)
// arch: 80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void scans(const int *a, int *y) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto half = cg::tiled_partition<16>(warp);
    int i = block.thread_rank();
    y[4 * i] = cg::inclusive_scan(warp, a[i]);
    y[4 * i + 1] = cg::exclusive_scan(half, a[i]);
    y[4 * i + 2] = cg::binary_partition(warp, a[i] < 5).size();
    auto labelled = cg::labeled_partition(warp, a[i] % 3);
    y[4 * i + 3] = cg::reduce(labelled, 1, cg::plus<int>());
}
