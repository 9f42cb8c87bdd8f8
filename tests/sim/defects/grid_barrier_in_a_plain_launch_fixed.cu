// Launched cooperatively, the grid has its barrier.
// arch: 80
// launch: grid 2 block 32
// cooperative: yes
// multiprocessors: 2
// out y: i32 64
// expect y[i] = 1
#include <cooperative_groups.h>
extern "C" __global__ void together(int *y) {
    y[blockIdx.x * 32 + threadIdx.x] = 1;
    cooperative_groups::this_grid().sync();
}
