// Tiles of 16 lanes take branches of their own and meet inside them, while others of the warp are at
// work that is no meeting.
// launch: grid 1 block 32
// arg n: i32 = 100
// out y: i32 32
// expect y[i] = i < 16 ? (15 - i < 4 ? 4950 * (15 - i) : 15 - i) : (47 - i < 20 ? 3 * (47 - i) : 2 * (47 - i)) + 1
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int n, int *y) {
    __shared__ int s[32];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int l = threadIdx.x, r = tile.thread_rank();
    if (tile.meta_group_rank() == 0) {
        if (r < 4) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i * l;
            }
            s[l] = sum;
            tile.sync();
            y[l] = s[15 - r];
        } else {
            s[l] = l;
            tile.sync();
            y[l] = s[15 - r];
        }
    } else if (r >= 4) {
        s[l] = l * 2;
        tile.sync();
        y[l] = s[31 - r] + 1;
    } else {
        s[l] = l * 3;
        tile.sync();
        y[l] = s[31 - r] + 1;
    }
}
