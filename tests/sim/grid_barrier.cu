// All blocks of a cooperative launch meet again and again; each reads what all others wrote.
// arch: 80
// launch: grid 24 block 64
// cooperative: yes
// multiprocessors: 4
// inout parts: i32 24 = i
// out y: i32 24
// expect y = 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276 276
// expect parts[i] = (i + 60) % 24
#include <cooperative_groups.h>
extern "C" __global__ void together(int *parts, int *y) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int round = 0; round < 60; ++round) {
        int next = parts[(blockIdx.x + 1) % gridDim.x];
        grid.sync();
        if (threadIdx.x == 0) parts[blockIdx.x] = next;
        grid.sync();
    }
    int total = 0;
    for (int k = 0; k < gridDim.x; k++) {
        total += parts[k];
    }
    if (threadIdx.x == 0 && grid.is_valid() && grid.size() == 24 * 64 && grid.num_blocks() == 24) {
        y[blockIdx.x] = total;
    }
}
