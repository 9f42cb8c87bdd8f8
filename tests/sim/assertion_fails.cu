// assert that fails in one thread stops the kernel.
// launch: grid 1 block 32
// out y: i32 32
// finding: T002
#include <assert.h>
extern "C" __global__ void check(int *y) {
    y[threadIdx.x] = 1;
    assert(threadIdx.x != 7);
}
