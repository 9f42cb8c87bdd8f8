// The copies are put in a group only after the wait.
// arch: 80
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: R003
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const int *a, int *y) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &a[t], 4); //~ R003
    __pipeline_wait_prior(0);
    __pipeline_commit();
    y[t] = tile[t]; //~ R003
}
