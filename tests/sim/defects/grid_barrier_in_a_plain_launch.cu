// The grid has no barrier: it was not launched cooperatively.
// arch: 80
// launch: grid 2 block 32
// out y: i32 64
// finding: B004
#include <cooperative_groups.h>
extern "C" __global__ void apart(int *y) {
    y[blockIdx.x * 32 + threadIdx.x] = 1;
    cooperative_groups::this_grid().sync(); //~ B004
}
