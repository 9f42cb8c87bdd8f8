// assert that holds says nothing.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i
#include <assert.h>
extern "C" __global__ void check(int *y) {
    assert(threadIdx.x < 32);
    y[threadIdx.x] = threadIdx.x;
}
