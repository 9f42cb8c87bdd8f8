// The source of a copy is changed after the copy was waited for.
// arch: 80
// launch: grid 1 block 32
// inout a: i32 32 = i
// out y: i32 32
// expect y[i] = i
#include <cuda_pipeline.h>
extern "C" __global__ void copies(int *a, int *y) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &a[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    a[t] = -1;
    y[t] = tile[t];
}
