// Each thread waits for its own copies, then all for each other.
// arch: 80
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = 63 - i
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const int *a, int *y) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &a[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[t] = tile[63 - t];
}
