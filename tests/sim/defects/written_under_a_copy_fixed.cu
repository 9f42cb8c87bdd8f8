// A thread sets to zero what no copy writes.
// arch: 80
// launch: grid 1 block 32
// in a: i32 32 = i + 1
// out y: i32 32
// expect y[i] = i < 16 ? i + 1 : 0
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const int *a, int *y) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    if (t < 16) {
    __pipeline_memcpy_async(&tile[t], &a[t], 4);
    }
    __pipeline_commit();
    if (t >= 16) {
        tile[t] = 0;
    }
    __pipeline_wait_prior(0);
    y[t] = tile[t];
}
